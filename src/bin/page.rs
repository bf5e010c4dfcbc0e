//! Starts the page, and says which parts of it are loaded when they are needed first.

#[cfg(target_arch = "wasm32")]
#[allow(clippy::unnecessary_wraps)] // loading a part can fail, what is in it cannot
mod parts {
    use lanescope::pane::context::ViewContext;
    use lanescope::views;
    use lanescope::views::mapping::page::MappingInput;
    use lanescope::views::parts::{Loaded, LocalFuture, Parts};
    use wasm_split_helpers::wasm_split;

    pub(crate) const PARTS: Parts = Parts {
        show,
        mapping: |input| Box::pin(mapping(input)),
        notes: || Box::pin(notes()),
        report: || Box::pin(report_file()),
        help: || Box::pin(help()),
        load,
    };

    /// The parts: how one is loaded, and its views; those that are often used together are one.
    macro_rules! parts {
        ($($part:ident, $load:ident: $first:ident $($more:ident)*;)*) => {
            fn show(id: &'static str, context: ViewContext) -> LocalFuture<Loaded> {
                $(
                    if id == views::$first::page::VIEW.id {
                        return Box::pin($first(context));
                    }
                    $(
                        if id == views::$more::page::VIEW.id {
                            return Box::pin($more(context));
                        }
                    )*
                )*
                Box::pin(report(context))
            }
            fn load(id: &'static str) -> LocalFuture<()> {
                $(
                    if id == views::$first::page::VIEW.id $(|| id == views::$more::page::VIEW.id)* {
                        return Box::pin(async {
                            let _ = $load().await;
                        });
                    }
                )*
                Box::pin(std::future::ready(()))
            }
            $(
                #[wasm_split($part, fallible, preload($load))]
                fn $first(context: ViewContext) -> Loaded {
                    Ok(views::$first::page::show(context))
                }
                $(
                    #[wasm_split($part, fallible)]
                    fn $more(context: ViewContext) -> Loaded {
                        Ok(views::$more::page::show(context))
                    }
                )*
            )*
        };
    }

    parts! {
        code, load_code: code;
        texts, load_texts: details operators plan report statistics tables;
        overview, load_overview: overview;
        timeline, load_timeline: timeline;
        planes, load_planes: access density executions lifetimes schedule;
    }

    #[wasm_split(texts, fallible)]
    fn mapping(input: MappingInput) -> Loaded {
        Ok(views::mapping::page::show(input))
    }

    #[wasm_split(texts, fallible)]
    fn notes() -> Loaded {
        Ok(lanescope::page::notes::show())
    }

    #[wasm_split(texts, fallible)]
    fn report_file() -> Loaded {
        Ok(lanescope::page::report::show())
    }

    #[wasm_split(texts, fallible)]
    fn help() -> Loaded {
        Ok(lanescope::page::help::show())
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    lanescope::page::start(parts::PARTS);
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program runs in a browser: cargo xtask serve");
}
