// What of the shown view is there for eyes only: pictures without words, controls without a name, controls that the keyboard
// does not get to. `window.tabbed` holds what Tab has gone through. Returns a line for each.
const said = [];
const view = document.querySelector('.page__view:not([hidden])');
const kind = (one) => `${one.tagName.toLowerCase()}.${String(one.className?.baseVal ?? one.className).split(' ')[0]}`;
const where = (one) => [one.parentElement?.parentElement, one.parentElement, one].filter(Boolean).map(kind).join(' > ');
const plain = (text) => (text ?? '').replace(/\s+/g, ' ').trim();
const isSeen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && 2 < one.getBoundingClientRect().width && !one.closest('[aria-hidden=true], [inert]');
const named = (one) => {
  const by = one.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id)?.textContent).join(' ');
  const inside = one.matches('input, select, textarea') ? [...one.labels ?? []].map((label) => label.textContent).join(' ') : one.textContent;
  return plain(by || one.getAttribute('aria-label') || inside || one.title || one.placeholder || one.querySelector('img[alt], svg[aria-label]')?.getAttribute('aria-label'));
};
// A picture has a sentence with what is on it, or lies below text that has it.
for (const canvas of view.querySelectorAll('canvas')) {
  if (!isSeen(canvas)) continue;
  const words = plain(canvas.getAttribute('aria-label'));
  const text = plain(canvas.parentElement.parentElement.querySelector('.text-layer')?.textContent);
  if (canvas.getAttribute('role') === 'presentation' ? text.length < 20 : canvas.getAttribute('role') !== 'img' || words.length < 12) said.push(`a picture without words: ${where(canvas)} “${words}”`);
}
for (const picture of view.querySelectorAll('svg[role=img]')) {
  if (isSeen(picture) && !plain(picture.getAttribute('aria-label'))) said.push(`a picture without words: ${where(picture)}`);
}
const controls = 'button, a[href], input, select, textarea, summary, [tabindex], [role=tab], [role=radio], [role=switch], [role=checkbox], [role=option], [role=menuitem], [role=slider], [role=separator][aria-valuenow], [role=treeitem]';
// Members of these are gone through by arrows; the keyboard gets to one of them, or to what is around them.
const groups = '[role=tablist], [role=radiogroup], [role=grid], [role=treegrid], [role=tree], [role=listbox], [role=toolbar], [role=menu]';
const got = (one) => window.tabbed.has(one);
for (const one of document.querySelectorAll(controls)) {
  if (one.closest('.page__view') && !view.contains(one)) continue;
  if (!isSeen(one) || one.disabled || one.closest('dialog, [hidden], .page__skip')) continue;
  // Elements that only programs give the keyboard to are no stops.
  const isStop = 0 <= one.tabIndex || one.matches('button, a, input, select, textarea, [role]');
  if (!isStop) continue;
  if (!named(one)) said.push(`without a name: ${where(one)}`);
  if (got(one)) continue;
  const group = one.closest(groups);
  const isLed = group && (got(group) || [...group.querySelectorAll('*')].some(got) || group.parentElement?.closest(groups) && [...group.parentElement.closest(groups).querySelectorAll('*')].some(got));
  // What around it answers keys for it says so.
  const around = one.parentElement.closest('[tabindex="0"]');
  if (!isLed && !(around && got(around))) said.push(`out of the keyboard's reach: ${where(one)} “${named(one).slice(0, 40)}”`);
}
return [...new Set(said)];
