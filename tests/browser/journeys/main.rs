//! Journeys through the built page. Each test name says what holds.

mod overview;
mod page;
mod parts;

mod hurry;
mod links;
mod reach;

mod opening;

mod reading;

mod timeline;

mod lasting;
mod loading;

mod offline;
mod soak;

mod programs;
mod systems;

mod tour;

mod embed;
mod notes;
mod sessions;

mod access;
mod compare;
mod each;
mod exact;
mod help;
mod saving;
