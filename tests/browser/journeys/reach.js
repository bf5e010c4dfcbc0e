// Says what of the shown view nobody can see: texts and controls outside of every scrollable area, panes without
// height, controls that others lie over, words that are cut and cannot be read in a title. Returns one line for each, an empty list where all is well.
const said = [];
const clip = /hidden|clip/, scroll = /auto|scroll/;
// Looks and places of what stands around are asked for thousands of times; nothing changes meanwhile.
const kept = (ask) => {
  const known = new Map();
  return (element) => {
    if (!known.has(element)) known.set(element, ask(element));
    return known.get(element);
  };
};
const lookOf = kept((element) => {
  const { position, transform, overflowX, overflowY } = getComputedStyle(element);
  return { position, transform, overflowX, overflowY };
});
const boxOf = kept((element) => element.getBoundingClientRect());
const roomOf = kept(({ clientWidth, clientHeight, scrollWidth, scrollHeight }) => ({ clientWidth, clientHeight, scrollWidth, scrollHeight }));
const name = (element) => {
  const own = element.id ? "#" + element.id : typeof element.className === "string" && element.className.trim() ? "." + element.className.trim().split(/\s+/)[0] : "";
  return element.tagName.toLowerCase() + own;
};
const path = (element) => [element.parentElement?.parentElement, element.parentElement, element].filter(Boolean).map(name).join(" > ");
const hasWords = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
// A title, a described name or a tooltip of the element or one around it has its words.
const plain = (text) => text.replace(/\s+/g, " ").trim();
const isExplained = (element) => {
  const words = plain(element.textContent);
  for (let around = element; around && around !== document.body; around = around.parentElement) {
    for (const text of [around.title, around.getAttribute("aria-label"), around.dataset?.tip]) {
      if (text && (plain(text).includes(words) || around === element)) return true;
    }
  }
  return false;
};
for (const element of document.querySelectorAll("body *")) {
  // Words behind a picture that scrolls by itself, heads that a scroll bar elsewhere shifts, and the link that stands above the page until it has the focus.
  if (element.closest(".text-layer, .listing__shift, .page__skip")) continue;
  if (element.closest("svg, canvas, dialog:not([open]), [hidden], option, noscript, script, template") && !element.matches("svg, canvas")) continue;
  const isControl = element.matches("button, input, select, textarea, a[href], [tabindex='0']");
  const isText = hasWords(element);
  if (!isControl && !isText && !element.matches("svg, canvas")) continue;
  const style = getComputedStyle(element);
  if (style.visibility !== "visible" || style.display === "none" || !element.checkVisibility?.({ opacityProperty: true, visibilityProperty: true })) continue;
  // Words for screen readers alone, and controls behind a drawn one.
  const box = boxOf(element);
  if (box.width <= 2 || box.height <= 2) { if (isText && style.position !== "absolute" && style.clipPath === "none") said.push(`no size: ${path(element)} “${element.textContent.trim().slice(0, 40)}”`); continue; }
  // Words in an empty field that are longer than it.
  if (element.matches("input[inputmode]:placeholder-shown") && element.placeholder) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = style.font;
    if (element.clientWidth + 1 < pen.measureText(element.placeholder).width) said.push(`cut words: ${path(element)} “${element.placeholder}”`);
  }
  if (isText && style.textOverflow === "ellipsis" && clip.test(style.overflowX) && element.clientWidth + 1 < element.scrollWidth && (!isExplained(element) || element.closest(".table__cell--number"))) {
    said.push(`cut words: ${path(element)} “${element.textContent.trim().slice(0, 60)}”`);
  }
  let { left, top, right, bottom } = box;
  let position = style.position, isScrolled = false;
  for (let around = element.parentElement; around; around = around.parentElement) {
    const look = lookOf(around);
    if (position === "fixed") break;
    if (position === "absolute" && look.position === "static" && look.transform === "none") continue;
    position = look.position;
    const area = around === document.documentElement ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : boxOf(around);
    if (around === document.body) continue;
    const isRoot = around === document.documentElement, room = roomOf(around);
    const x = isRoot ? (clip.test(look.overflowX) || clip.test(lookOf(document.body).overflowX) ? "hidden" : "auto") : look.overflowX;
    const y = isRoot ? (clip.test(look.overflowY) || clip.test(lookOf(document.body).overflowY) ? "hidden" : "auto") : look.overflowY;
    for (const [kind, from, to, low, high, size, extent] of [["x", left, right, area.left, area.right, room.clientWidth, room.scrollWidth], ["y", top, bottom, area.top, area.bottom, room.clientHeight, room.scrollHeight]]) {
      const how = kind === "x" ? x : y;
      if (scroll.test(how)) {
        isScrolled ||= size < extent;
        // What can be scrolled to counts as seen, where there is room to see it in.
        if (size < 16 && size < extent) said.push(`no room (${size} of ${extent} px ${kind}): ${path(around)} holds ${name(element)} “${element.textContent.trim().slice(0, 40)}”`);
        if (kind === "x") { left = Math.max(low, Math.min(left, high - 16)); right = Math.min(high, Math.max(right, low + 16)); if (right < left) right = left + 1; }
        else { top = Math.max(low, Math.min(top, high - 16)); bottom = Math.min(high, Math.max(bottom, low + 16)); if (bottom < top) bottom = top + 1; }
      } else if (clip.test(how)) {
        const seen = Math.min(to, high) - Math.max(from, low);
        if (seen <= 2 && isText && kind === "x" && isExplained(element)) break;
        if (seen <= 2) { said.push(`out of reach (${kind}): ${path(element)} “${element.textContent.trim().slice(0, 40)}” behind ${path(around)}`); left = top = 0; right = bottom = 0; }
        else if (isText && element.children.length === 0 && seen + 2 < to - from && kind === "x" && !isExplained(element)) said.push(`cut at the edge: ${path(element)} “${element.textContent.trim().slice(0, 60)}” by ${name(around)}`);
        else if (isControl && seen < Math.min(8, to - from)) said.push(`cut control: ${path(element)} by ${name(around)}`);
      }
    }
    if (right === 0 && bottom === 0) break;
  }
  // A control that something outside of its surroundings lies over.
  const over = isControl && !isScrolled && left < right && top < bottom && document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  if (over && !element.contains(over) && !element.parentElement?.contains(over) && !over.contains(element)) {
    said.push(`covered: ${path(element)} “${element.textContent.trim().slice(0, 40)}” by ${path(over)}`);
  }
}
// A bar to scroll sideways over the last row, numbers of a side panel beyond its edge.
for (const table of document.querySelectorAll(".figure__table .table__scroll")) {
  const missing = table.scrollHeight - table.clientHeight;
  if (table.checkVisibility() && 1 < missing && missing < 20) said.push(`part of a row (${missing} px): ${path(table)}`);
}
// Names of marks stand above bars, columns of reasons and steps have room.
for (const mark of document.querySelectorAll(".device__mark > span")) {
  const bins = mark.closest(".device__bins").getBoundingClientRect();
  if (mark.checkVisibility() && bins.top + 1 < mark.getBoundingClientRect().bottom) said.push(`over bars: ${path(mark)} “${mark.textContent}”`);
}
for (const body of document.querySelectorAll(".device__body, .overview__part > .overview__scroll")) {
  if (body.checkVisibility() && body.clientWidth + 1 < body.scrollWidth) said.push(`columns beyond (${body.scrollWidth} of ${body.clientWidth} px): ${path(body)}`);
}
for (const side of document.querySelectorAll("aside")) {
  if (side.checkVisibility() && side.clientWidth + 1 < side.scrollWidth) said.push(`wider than its panel (${side.scrollWidth} of ${side.clientWidth} px): ${path(side)}`);
}
return [...new Set(said)];
