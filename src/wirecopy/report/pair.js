// Two articles side by side.

const SIDES = ["query", "found"];
const other = (side) => (side === "query" ? "found" : "query");
const SIDE_WORDS = { query: "left", found: "right" };

async function pairPage(ids, options) {
  const row = await placeOf(ids, options);
  const { pairs, articles, story } = row < 0 ? { pairs: [] } : await pairsAt(row);
  const place = ids.length > 1 ? pairs.findIndex((pair) => pair.query === ids[0] && pair.found === ids[1]) : 0;
  const pair = pairs[place];
  if (!pair) return missing("There is no pair of", ids.join(", "));
  const both = { query: articles[pair.query], found: articles[pair.found] };
  const inside = head.view === "check" ? { in: String(row) } : story ? { in: story.id, of: VIEW_OF[story.kind] } : {};
  const hrefs = pairs.map((one) => address("pair", [one.query, one.found], inside));
  const around = { place, many: pairs.length, next: hrefs[place + 1], previous: hrefs[place - 1] };
  const backs = { check: address("check", [row]), scores: "#scores" };
  const back = backs[head.view] || (story ? address(VIEW_OF[story.kind], [story.id]) : null);
  const whole = head.view === "scores" ? "The scores" : story ? said(story.title, "Without a title") : "The text";
  const stage = sideBySide(pair, both, options);
  const element = make("article", { class: "pair" },
    make("header", {},
      back || pairs.length > 1 ? trail(back, whole, around, "pair") : null,
      make("h1", {}, named(both.query, pair.query), make("span", { class: "and" }, " beside "), named(both.found, pair.found)),
      pair.said ? make("p", { class: "lead said" }, make("b", {}, pair.said)) : null,
      make("p", { class: "lead" }, verdict(pair, stage.links)), stage.tools),
    stage.element);
  const keys = { ...stage.keys, j: goTo(around.next), k: goTo(around.previous) };
  const title = SIDES.map((side) => both[side].source || pair[side]).join(" beside ");
  return view(title, element, { back, section: story ? SECTION_OF[story.kind] : head.view, ready: stage.ready, keys });
}

/** The row whose entry has a pair: the one that the address names, or else the first that has it; -1 if none has. */
async function placeOf([query, found], options) {
  if (["pair", "scores"].includes(head.view)) return 0;
  if (head.view === "check") return Number(options.get("in")) || 0;
  const has = (entry) => entry.pairs.some((pair) => pair.query === query && pair.found === found);
  const row = options.has("in") ? await rowOf(options.get("of") || "story", options.get("in")) : -1;
  return row >= 0 && has(await entryAt(row)) ? row : seek(null, has);
}

/** The pairs of a row, and the articles they are of. */
async function pairsAt(row) {
  if (["pair", "scores"].includes(head.view)) return block(0);
  if (head.view === "report") return entryAt(row);
  const { query, found } = await answerAt(row);
  const pairs = found.map((one) => ({ ...one, query: query.id, found: one.article.id }));
  return { pairs, articles: Object.fromEntries([...found.map((one) => [one.article.id, one.article]), [query.id, query]]) };
}

const PAIR_WORDS = {
  ...RELATION_WORDS,
  "contains": "the left holds nearly all of the right",
  "contained-in": "nearly all of the left is in the right",
};

function verdict(pair, links) {
  if (!pair.relation) return "Nothing is shared that would count as copied.";
  const passages = links.filter((link) => !link.minor);
  const moved = passages.filter((link) => link.moved).length;
  const { same = 0, other: filled = 0 } = pair.slots || {};
  const slots = pair.relation === "form" ? ` ${count(filled, "place")} of the form filled otherwise, ${number(same)} alike.` : "";
  const [left, right] = [percent(pair.query_covered), percent(pair.found_covered)];
  const shares = `${left} of the left is in the right, ${right} of the right in the left`;
  const words = `${count(pair.words, "equal word")} in ${count(passages.length, "passage")}`;
  return [make("b", {}, pair.relation), `: ${PAIR_WORDS[pair.relation]}. ${shares}; ${words}`,
    moved ? `, ${number(moved)} of them moved.` : ".", slots];
}

/** What is linked between both sides, by the query: each passage, and each stretch too short for one. */
function linksOfPieces(pieces) {
  const links = new Map();
  pieces.forEach((piece, place) => {
    piece.link = piece.passage || (piece.minor ? `minor ${place}` : null);
    if (!piece.link) return;
    const empty = { key: piece.link, moved: false, minor: true, query: [Infinity, 0], found: [Infinity, 0] };
    const link = { ...(links.get(piece.link) || empty) };
    for (const side of SIDES) {
      const [from, to] = piece[side];
      if (to > from) link[side] = [Math.min(link[side][0], from), Math.max(link[side][1], to)];
    }
    links.set(piece.link, { ...link, moved: link.moved || piece.moved, minor: link.minor && piece.minor });
  });
  const whole = [...links.values()].filter((link) => link.query[1] && link.found[1]);
  return whole.sort((one, next) => one.query[0] - next.query[0]).map((link, place) => ({ ...link, number: place + 1 }));
}

// Both columns

const TOGGLES = { same: "Same", different: "Different", spelling: "Spelling", boilerplate: "Boilerplate" };
const HIDDEN = "spelling";

/** Both columns with their tools, and what the keys do to them. What is hidden, locked and chosen stands in the address. */
function sideBySide(pair, both, options) {
  const pieces = piecesOf(pair.pieces);
  const links = linksOfPieces(pieces);
  const whole = SIDES.every((side) => typeof both[side].text === "string");
  const panes = Object.fromEntries(SIDES.map((side) => [side, paneOf(side, both[side], pair[side],
    whole ? textOf(both[side], pieces, links, side, (link) => jump(link, other(side))) : null)]));
  const map = minimap(pieces, links, both, (link) => go(link.number - 1));
  const element = make("div", { class: "columns" }, panes.query, map.element, panes.found);
  const hidden = new Set((options.get("hide") ?? HIDDEN).split(",").filter(Boolean));
  const scroll = lockStep(panes, pieces, () => map.see(panes));
  scroll.locked = options.get("lock") !== "off";
  let at = -1;

  const toggles = Object.entries(TOGGLES).map(([name, words]) => make("button", { type: "button", class: `toggle ${name}`,
    "data-toggle": name, onclick: () => toggle(name) }, make("i", { "aria-hidden": "true" }), words));
  const lock = make("button", { type: "button", onclick: () => toggleLock() }, "Lock");
  const where = make("span", { class: "number where" });
  const turn = (label, sign, by) => make("button",
    { type: "button", class: "turn", "aria-label": label, title: label, onclick: () => go(at + by) }, sign);
  const turns = make("span", { class: "turns" },
    turn("Previous passage (p)", "‹", -1), where, turn("Next passage (n)", "›", 1));
  const tools = make("div", { class: "tools", role: "toolbar", "aria-label": "What is marked" },
    whole ? [toggles, lock] : null, whole && links.length ? turns : null);

  /** The page and its address as the state has it. */
  function update(words) {
    for (const name of Object.keys(TOGGLES)) element.classList.toggle(`show-${name}`, !hidden.has(name));
    for (const button of toggles) button.setAttribute("aria-pressed", String(!hidden.has(button.dataset.toggle)));
    lock.setAttribute("aria-pressed", String(scroll.locked));
    for (const one of element.querySelectorAll(".passage")) one.classList.toggle("current", one.dataset.link === String(at + 1));
    where.textContent = at < 0 ? count(links.length, "passage") : `passage ${at + 1} of ${links.length}`;
    if (!words) return;
    announce(words);
    const state = { hide: [...hidden].join(), lock: scroll.locked ? null : "off", passage: at < 0 ? null : String(at + 1) };
    if (state.hide === HIDDEN) state.hide = null;
    for (const [name, value] of Object.entries(state)) value === null ? options.delete(name) : options.set(name, value);
    history.replaceState(null, "", (location.hash.split("?")[0] || "#pair") + suffix(options));
  }

  function toggle(name) {
    if (!hidden.delete(name)) hidden.add(name);
    update(`${name} ${hidden.has(name) ? "not marked" : "marked"}`);
  }

  function toggleLock() {
    scroll.locked = !scroll.locked;
    scroll.follow("query");
    update(scroll.locked ? "columns locked" : "columns free");
  }

  function go(place) {
    if (!links.length) return;
    at = (place + links.length) % links.length;
    SIDES.forEach((side) => scroll.reveal(side, links[at]));
    update(`passage ${at + 1} of ${links.length}${links[at].moved ? ", moved" : ""}`);
  }

  function jump(link, side) {
    at = link.number - 1;
    scroll.reveal(side, link);
    update(`${SIDE_WORDS[side]} end of passage ${link.number}`);
    (panes[side].querySelector(`[data-link="${link.number}"] button`) || panes[side]).focus({ preventScroll: true });
  }

  const elsewhere = () => other(panes.found.contains(document.activeElement) ? "found" : "query");
  const keys = {
    n: () => go(at + 1),
    p: () => go(at < 0 ? -1 : at - 1),
    m: () => links.length && jump(links[Math.max(0, at)], elsewhere()),
    d: () => toggle("different"),
    l: toggleLock,
  };
  const ready = () => {
    const wanted = Number(options.get("passage"));
    if (wanted >= 1 && wanted <= links.length) go(wanted - 1);
    map.see(panes);
  };
  update();
  return { element, tools, links, ready, keys: whole ? keys : {} };
}

const READING_LINE = 0.3;

/** What keeps equal words of both columns at one height while `locked`; `reveal` brings an end of a link into sight. */
function lockStep(panes, pieces, onScroll) {
  const expected = {};
  const scrollTo = (side, top) => {
    panes[side].scrollTop = top;
    expected[side] = panes[side].scrollTop;
  };

  /** Where an element begins and ends in its column, from the top of that. */
  function edges(side, element) {
    const zero = panes[side].getBoundingClientRect().top - panes[side].scrollTop;
    const { top, bottom } = element.getBoundingClientRect();
    return [top - zero, bottom - zero];
  }

  /** Heights that belong together: both ends of equal words that have not moved, and of the columns. */
  function measure(from, to) {
    const both = (piece) => piece.on.query && piece.on.found;
    const steady = pieces.filter((piece) => piece.kind === "same" && piece.passage && !piece.moved && both(piece));
    const inside = steady.flatMap((piece) => {
      const [here, there] = [edges(from, piece.on[from]), edges(to, piece.on[to])];
      return [[here[0], there[0]], [here[1], there[1]]];
    });
    return [[0, 0], ...inside, [panes[from].scrollHeight, panes[to].scrollHeight]].sort((one, next) => one[0] - next[0]);
  }

  let known = {};
  /** The same, measured once for a size of the columns. */
  function points(from, to) {
    const size = SIDES.map((side) => `${panes[side].scrollHeight}/${panes[side].clientWidth}`).join();
    if (known.size !== size) known = { size };
    return (known[from] ||= measure(from, to));
  }

  /** What stands at the reading line, which comes down from the top as one begins to scroll, comes to it in the other column. */
  function follow(from) {
    if (!step.locked) return;
    const to = other(from);
    const { scrollTop, clientHeight } = panes[from];
    const above = READING_LINE * Math.min(clientHeight, scrollTop);
    const between = points(from, to);
    const line = scrollTop + above;
    const after = Math.max(1, between.findIndex(([y]) => y >= line));
    const [[y, z], [nextY, nextZ]] = [between[after - 1], between[after]];
    const part = nextY > y ? Math.min(1, (line - y) / (nextY - y)) : 0;
    scrollTo(to, z + (nextZ - z) * part - above);
  }

  for (const side of SIDES) {
    panes[side].addEventListener("scroll", () => {
      onScroll();
      const ours = Math.abs(panes[side].scrollTop - (expected[side] ?? Infinity)) < 2;
      expected[side] = null;
      if (!ours) follow(side);
    }, { passive: true });
  }
  const reveal = (side, link) => {
    const found = panes[side].querySelector(`[data-link="${link.number}"]`);
    if (found) scrollTo(side, edges(side, found)[0] - panes[side].clientHeight * 0.2);
  };
  const step = { locked: true, follow, reveal };
  return step;
}

// One column

function paneOf(side, article, id, text) {
  const facts = [article.author, article.agency && `credits ${article.agency}`, id].filter(Boolean);
  const site = outside(article.url, "at its site");
  const words = `The text on the ${SIDE_WORDS[side]}`;
  return make("div", { class: `pane ${side}`, tabindex: "0", role: "region", "aria-label": words },
    make("header", { class: "about" }, make("h2", { dir: "auto" }, article.title || "Without a title"),
      make("p", {}, make("b", {}, said(article.source, "No source")), " · ", when(article.published),
        ` · ${count(article.words ?? 0, "word")}`, site ? [" · ", site] : null),
      make("p", { class: "quiet" }, facts.map((one, place) => [place ? " · " : "", said(one)]))),
    text || make("p", { class: "note" }, "This text is not in the report."));
}

/** The text of one side, cut into its pieces, which learn their elements; what is linked has a box that knows its number. */
function textOf(article, pieces, links, side, onJump) {
  const text = make("div", { class: "text", dir: article.dir || "auto", lang: language(article) });
  const byKey = new Map(links.map((link) => [link.key, link]));
  const gaps = side === "query" ? "dropped" : "inserted";
  const laid = pieces.filter((piece) => piece[side][1] > piece[side][0] || piece.kind === gaps)
    .sort((one, next) => one[side][0] - next[side][0] || one[side][1] - next[side][1]);
  const labelled = new Set();
  let open = null;
  let box = text;
  for (const piece of laid) {
    const [from, to] = piece[side];
    const link = byKey.get(piece.link) || null;
    if (to === from) {
      if (link && link === open) box.append(make("i", { class: "gap", "aria-hidden": "true" }));
      continue;
    }
    if (link !== open) {
      box = link ? make("span", { class: `passage${link.moved ? " moved" : ""}`, "data-link": link.number }) : text;
      if (link && !labelled.has(link)) box.append(label(link, onJump));
      if (link) text.append(box);
      labelled.add(link);
      open = link;
    }
    const parts = wordsOf(article.text.slice(from, to), piece.kind);
    box.append(...parts);
    piece.on[side] = parts.find((one) => one.nodeType);
  }
  return text;
}

const TAGS = { inserted: "ins", dropped: "del", added: "span", cut: "span", boilerplate: "span" };

/** A piece as elements: the white space around it is not marked. */
function wordsOf(text, kind) {
  const [, before, words, after] = /^(\s*)(.*?)(\s*)$/s.exec(text);
  return [before, words && make(TAGS[kind] || "mark", { class: kind }, words), after].filter(Boolean);
}

function label(link, onJump) {
  const words = `Passage ${link.number}${link.moved ? " has moved" : ""}: go to its other end (m)`;
  const face = `${link.moved ? "⇅\u2009" : ""}${link.number}`;
  return make("button", { type: "button", class: "label", title: words, "aria-label": words, onclick: () => onJump(link) }, face);
}

// Minimap

const BAR = 18;

/** Both texts as bars with bands between what is linked; for the eye only, since the keys lead everywhere. */
function minimap(pieces, links, both, onGo) {
  const x = { query: 0, found: 100 - BAR };
  const end = (side) => pieces.reduce((most, piece) => Math.max(most, piece[side][1]), 1);
  const length = { query: end("query"), found: end("found") };
  const y = (side, place) => Number(((place / length[side]) * 1000).toFixed(1));
  const bar = (side, [from, to], name) => draw("rect",
    { class: name, x: x[side], width: BAR, y: y(side, from), height: Math.max(2, y(side, to) - y(side, from)) });
  const band = (link) => {
    const [[a, b], [c, d]] = SIDES.map((side) => link[side].map((place) => y(side, place)));
    const path = `M${BAR} ${a}C50 ${a} 50 ${c} ${x.found} ${c}V${d}C50 ${d} 50 ${b} ${BAR} ${b}Z`;
    return draw("path", { class: link.moved ? "band moved" : "band", d: path, onclick: () => onGo(link) },
      draw("title", {}, `Passage ${link.number}${link.moved ? ", moved" : ""}`));
  };
  const shown = (side) => pieces.filter((piece) => piece[side][1] > piece[side][0] && !["added", "cut"].includes(piece.kind));
  const windows = Object.fromEntries(SIDES.map((side) => [side, bar(side, [0, 0], "window")]));
  const element = draw("svg", { class: "minimap", viewBox: "0 0 100 1000", preserveAspectRatio: "none", "aria-hidden": "true" },
    SIDES.map((side) => bar(side, [0, length[side]], "ground")), links.map(band),
    SIDES.map((side) => shown(side).map((piece) => bar(side, piece[side], piece.kind))), Object.values(windows));

  /** The frames follow what is in sight. */
  function see(panes) {
    for (const side of SIDES) {
      const text = panes[side].querySelector(".text")?.getBoundingClientRect();
      if (!text) continue;
      const pane = panes[side].getBoundingClientRect();
      const [from, to] = [pane.top, pane.bottom].map((edge) => Math.min(1, Math.max(0, (edge - text.top) / text.height)) * 1000);
      windows[side].setAttribute("y", from);
      windows[side].setAttribute("height", to - from);
    }
  }
  return { element, see };
}
