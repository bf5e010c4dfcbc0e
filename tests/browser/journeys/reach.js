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
// Numbers below an axis stand apart.
for (const axis of document.querySelectorAll(".device__ticks")) {
  const ticks = [...axis.children].filter((tick) => tick.checkVisibility()).sort((a, b) => boxOf(a).left - boxOf(b).left);
  ticks.slice(1).forEach((tick, at) => {
    if (boxOf(tick).left < boxOf(ticks[at]).right) said.push(`ticks meet: ${path(axis)} “${ticks[at].textContent}” and “${tick.textContent}”`);
  });
}
for (const body of document.querySelectorAll(".device__body, .overview__part > .overview__scroll, .plan__scroll, .lifetimes__device-scroll")) {
  if (body.checkVisibility() && body.clientWidth + 1 < body.scrollWidth) said.push(`columns beyond (${body.scrollWidth} of ${body.clientWidth} px): ${path(body)}`);
}
for (const side of document.querySelectorAll("aside")) {
  if (side.checkVisibility() && side.clientWidth + 1 < side.scrollWidth) said.push(`wider than its panel (${side.scrollWidth} of ${side.clientWidth} px): ${path(side)}`);
}
// What is seen of the words of an element: those that nothing around them cuts off, up to where it ends.
const seen = (element, edge) => {
  const boxes = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let right = Infinity, bottom = Infinity;
    for (let around = node.parentElement; around; around = around.parentElement) {
      const look = lookOf(around), box = boxOf(around);
      if (clip.test(look.overflowX)) right = Math.min(right, box.right);
      if (clip.test(look.overflowY)) bottom = Math.min(bottom, box.bottom);
      if (around === edge) break;
    }
    let text = "";
    for (let at = 0; at < node.length; at++) {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const letter = range.getBoundingClientRect();
      if (letter.right <= right + 1 && letter.bottom <= bottom + 2) text += node.data[at];
    }
    boxes.push(text === node.data ? text : text + "…");
  }
  return plain(boxes.join(""));
};
// Rows are told apart by what is seen of their names, and a line of a file by its number.
const named = [
  [".table__body", ".table__row", ".table__cell:first-child", ".table__text"],
  [".overview__table tbody", "tr", "th", ".name"],
];
for (const [list, row, cell, words] of named) {
  for (const table of document.querySelectorAll(list)) {
    if (!table.checkVisibility()) continue;
    const known = new Map();
    let nCut = 0, n = 0, width = 0;
    for (const one of table.querySelectorAll(row)) {
      const first = one.querySelector(cell), name = first?.querySelector(words);
      if (!name || !name.textContent.trim()) continue;
      const whole = plain(first.title || first.dataset.tip || name.textContent);
      const shown = seen(name, first);
      n += 1;
      nCut += shown.includes("…") ? 1 : 0;
      width = name.clientWidth || first.clientWidth;
      if (known.has(shown) && known.get(shown) !== whole) said.push(`rows look alike: ${path(table)} “${shown.slice(0, 60)}”`);
      known.set(shown, whole);
      const line = /\.\w+(:\d+)$/.exec(name.textContent.trim());
      if (line && !shown.endsWith(line[1])) said.push(`number of a line is cut: ${path(table)} “${shown}” of “${whole}”`);
    }
    if (2 < n && nCut === n && width < 120) said.push(`no room for names (${width} px): ${path(table)}`);
  }
}
// So are files, operators and what a list offers: the row that is chosen and the one that is looked for differ in what is seen.
for (const list of document.querySelectorAll(".rail__list")) {
  const known = new Map();
  for (const name of list.querySelectorAll(".rail__row .rail__name")) {
    const whole = plain(name.textContent), shown = seen(name, name);
    if (!name.checkVisibility() || !whole) continue;
    if (known.has(shown) && known.get(shown) !== whole) said.push(`rows look alike: ${path(list)} “${shown}” of “${known.get(shown)}” and “${whole}”`);
    known.set(shown, whole);
  }
}
for (const list of document.querySelectorAll("select")) {
  const options = [...list.options].map((option) => plain(option.label));
  const alike = options.find((option, at) => options.indexOf(option) < at);
  if (list.checkVisibility() && alike !== undefined) said.push(`options look alike: ${path(list)} “${alike}”`);
}
// A value that is missing is a sign, not a blank.
for (const cell of document.querySelectorAll(".table__row > .table__cell")) {
  if (cell.checkVisibility() && !cell.textContent.trim() && !cell.querySelector("svg, i")) said.push(`blank cell: ${path(cell)} in ${path(cell.closest(".table"))}`);
}
// Columns of numbers are as wide as these, or as a head of two lines; what does not fit gives way before it is cut.
for (const head of document.querySelectorAll(".table__column--number")) {
  const title = head.querySelector(".table__title");
  const numbers = head.closest(".table__scroll").querySelectorAll(".table__row .table__cell--number");
  const isShort = [...numbers].every((cell) => cell.textContent.length < 24);
  if (head.checkVisibility() && isShort && 320 < title.clientWidth) said.push(`column as wide as its head (${title.clientWidth} px): “${title.textContent}”`);
  if (head.checkVisibility() && !head.title.includes(title.textContent.trim())) said.push(`head without its whole name: “${title.textContent}”`);
}
for (const table of document.querySelectorAll(".statistics .table__scroll")) {
  if (table.checkVisibility() && table.clientWidth + 1 < table.scrollWidth) said.push(`columns beyond (${table.scrollWidth} of ${table.clientWidth} px): ${path(table)}`);
}
// The cycles of code stay at the right, whatever else has room.
for (const title of document.querySelectorAll(".listing .listing__title")) {
  const edge = boxOf(title.closest(".listing")), box = boxOf(title);
  const isInside = edge.left <= box.left && box.right <= edge.right + 1;
  if (title.checkVisibility() && plain(title.textContent) === "Cycles" && !isInside) said.push(`cycles out of sight: ${path(title)}`);
}
// Heads of code stand apart, those of columns that go behind others too, and the ring of the keyboard beside their letters.
for (const head of document.querySelectorAll(".listing__head")) {
  if (!head.checkVisibility()) continue;
  const still = head.querySelector(".listing__still .listing__column");
  const from = still ? boxOf(still).right : boxOf(head).left;
  const pinned = [...head.querySelectorAll(":scope > .listing__moving:last-child > .listing__column")];
  const to = Math.min(boxOf(head).right, ...pinned.map((column) => boxOf(column).left));
  const titles = [...head.querySelectorAll(".listing__title")].map((title) => {
    const { left, right } = boxOf(title), moves = title.closest(".listing__shift");
    if (moves && left < to && to + 1 < right) said.push(`a head is cut at the edge: ${path(head)} “${title.textContent}”`);
    return { text: title.textContent, left: moves ? Math.max(left, from) : left, right: moves ? Math.min(right, to) : right };
  });
  const seen = titles.filter((title) => title.left < title.right).sort((a, b) => a.left - b.left);
  seen.slice(1).forEach((title, at) => {
    if (title.left < seen[at].right + 3) said.push(`heads meet: ${path(head)} “${seen[at].text}” and “${title.text}”`);
  });
  for (const button of head.querySelectorAll(".listing__sort")) {
    const box = boxOf(button), letters = boxOf(button.querySelector(".listing__title"));
    if (letters.left < box.left + 2 || box.right < letters.right + 2) said.push(`ring over letters: ${path(button)} “${button.textContent}”`);
  }
}
// Sentences that are read, not asked for.
for (const line of document.querySelectorAll(".executions__head > .figure__scope, .executions__order, .compare__headline, .device__advice-text, .schedule__common, .overview__part > .overview__head > span")) {
  const { textOverflow } = getComputedStyle(line);
  const isCut = line.clientWidth + 1 < line.scrollWidth || line.clientHeight + 2 < line.scrollHeight;
  if (line.checkVisibility() && line.textContent.trim() && (isCut || textOverflow === "ellipsis")) said.push(`a line is cut: ${path(line)} “${line.textContent.trim().slice(0, 60)}”`);
}
return [...new Set(said)];
