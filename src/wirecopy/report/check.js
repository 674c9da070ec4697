// A checked text beside all that was found for it.

const HUES = 8;
const ANSWERS_SHOWN = 200;
const SECTION = { section: "check" };

async function answerAt(place) {
  return (await block(Math.floor(place / head.block_answers))).answers[place % head.block_answers];
}

async function checkPage(wanted, options) {
  const many = head.answers;
  if (!many) return view("Checked", make("article", { class: "page" }, make("h1", {}, "Nothing was checked")), SECTION);
  if (!wanted && many > 1) return answerList(many, Number(options.get("from")) || 0);
  const place = Math.min(many - 1, Math.max(0, Math.trunc(Number(wanted)) || 0));
  const answer = await answerAt(place);
  const near = (to) => (to >= 0 && to < many ? address("check", [to]) : null);
  const around = { place, many, next: near(place + 1), previous: near(place - 1) };
  const { text, tools, light, keys } = checkedText(answer);
  const { query, found } = answer;
  const sources = found.map((one, rank) => sourceOf(one, rank, query, place, light));
  const isForm = (_, rank) => found[rank].relation === "form";
  const [copies, forms] = [sources.filter((...one) => !isForm(...one)), sources.filter(isForm)]
    .map((some) => (some.length ? make("ol", { class: "sources" }, some) : null));
  const unsaid = answer.articles - found.length;
  const element = make("article", { class: "page check" },
    many > 1 ? trail("#check", "Checked texts", around, "text") : null,
    make("h1", {}, said(query.title || query.id)),
    make("p", { class: "lead" }, answerWords(answer)),
    make("div", { class: "halves check-halves" },
      section("The text", found.length ? tools : null, text),
      section("Found in", copies || make("p", { class: "note" }, "Nothing was found."),
        forms ? [make("h2", { class: "apart" }, "The same form, filled in otherwise: no copies"), forms] : null,
        unsaid > 0 ? make("p", { class: "note" }, `and in ${count(unsaid, "article")} more`) : null)));
  const back = many > 1 ? "#check" : null;
  const turns = { j: goTo(around.next), k: goTo(around.previous) };
  return view(query.title || query.id, element, { ...SECTION, back, keys: { ...keys, ...turns } });
}

function answerWords({ copied, articles, at_least: atLeast, contained_in_count: whole, form_of_count: forms, found }) {
  if (!found.length) return "Nothing of this text was found: all of it is new.";
  const hold = whole ? `, ${number(whole)} of which ${whole === 1 ? "holds" : "hold"} nearly all of it` : "";
  const same = forms === 1 ? "is the same form" : "are the same form";
  const filled = forms ? ` ${count(forms, "article")} ${same}, filled in otherwise, which is no copy.` : "";
  const many = `${atLeast ? "at least " : ""}${count(articles, "article")}`;
  return [make("b", {}, `${percent(copied)} copied`), `: found in ${many}${hold}.${filled}`];
}

/** The text with its stretches coloured by the best article that has them; `light` leaves the marks of one article alone. */
function checkedText(answer) {
  const { query, found } = answer;
  if (typeof query.text !== "string") {
    return { text: make("p", { class: "note" }, "This text is not in the report."), tools: null, light: () => {}, keys: {} };
  }
  const text = make("div", { class: "text checked", dir: query.dir || "auto", lang: language(query) },
    stretchesOf(answer).map((one) => stretchOf(one, query.text, found)));
  const marks = [...text.querySelectorAll("mark")];
  const fresh = make("button", { type: "button", "aria-pressed": "false", onclick: () => {
    const on = text.classList.toggle("only-new");
    fresh.setAttribute("aria-pressed", String(on));
    announce(on ? "what is new is marked" : "what is copied is marked");
  } }, "Mark what is new");
  let at = -1;
  const go = (to) => {
    if (!marks.length) return;
    marks[at]?.classList.remove("current");
    at = (to + marks.length) % marks.length;
    marks[at].classList.add("current");
    marks[at].scrollIntoView({ block: "center" });
    announce(`passage ${at + 1} of ${marks.length}`);
  };
  const light = (only) => marks.forEach((one) =>
    one.classList.toggle("faint", only !== null && !one.dataset.of.split(" ").includes(only)));
  const keys = { n: () => go(at + 1), p: () => go(at < 0 ? -1 : at - 1), d: () => fresh.click() };
  return { text, tools: make("div", { class: "tools" }, fresh), light, keys };
}

/** The text in stretches that the same articles carry: from where to where, in which (their ranks), and whether it is new. */
function stretchesOf({ query, found, new: fresh }) {
  const edges = [];
  found.forEach((one, rank) => {
    if (one.relation === "form") return;
    for (const piece of piecesOf(one.pieces)) {
      const shared = piece.kind === "same" || piece.kind === "spelled";
      if (shared && piece.query[1] > piece.query[0]) edges.push([piece.query[0], rank, 1], [piece.query[1], rank, -1]);
    }
  });
  for (let at = 0; at < fresh.length; at += 2) edges.push([fresh[at], "new", 1], [fresh[at + 1], "new", -1]);
  edges.sort((one, next) => one[0] - next[0]);
  edges.push([query.text.length, "end", 1]);
  const open = new Map();
  const stretches = [];
  let last = 0;
  for (const [at, rank, step] of edges) {
    if (at > last) {
      const carried = [...open].filter(([name, many]) => many > 0 && name !== "new").map(([name]) => name);
      stretches.push({ from: last, to: at, ranks: carried.sort((one, next) => one - next), fresh: open.get("new") > 0 });
      last = at;
    }
    open.set(rank, (open.get(rank) || 0) + step);
  }
  return stretches;
}

function stretchOf({ from, to, ranks, fresh }, text, found) {
  const words = text.slice(from, to);
  if (!ranks.length) return make("span", { class: fresh ? "new" : null }, words);
  if (!words.trim()) return words;
  const names = ranks.slice(0, 5).map((rank) => found[rank].article.source || found[rank].article.id);
  return make("mark", { class: `source-${ranks[0] % HUES}`, "data-of": ranks.join(" "), title: names.join(", ") },
    make("sup", {}, ranks.slice(0, 3).map((rank) => rank + 1).join(",")), words);
}

/** A source of the text, with the shares of both. */
function sourceOf(one, rank, query, place, light) {
  const { article } = one;
  const [on, off] = [() => light(String(rank)), () => light(null)];
  const site = outside(article.url, "at its site");
  const shares = `${one.relation}: ${percent(one.query_covered)} of this text, ${percent(one.found_covered)} of that article, `;
  return make("li", { onmouseenter: on, onfocusin: on, onmouseleave: off, onfocusout: off },
    make("span", { class: `tag source-${rank % HUES}` }, number(rank + 1)),
    make("div", {}, make("b", {}, named(article, article.id)), " ", when(article.published), make("div", {}, said(article.title)),
      make("small", {}, shares, `${count(one.words, "equal word")} `),
      make("a", { class: "beside", href: address("pair", [query.id, article.id], { in: String(place) }) }, "side by side"),
      site ? [" · ", site] : null));
}

async function answerList(many, from) {
  const to = Math.min(many, from + ANSWERS_SHOWN);
  const rows = [];
  for (let place = Math.max(0, from); place < to; place += 1) {
    const { query, copied, articles } = await answerAt(place);
    rows.push(make("tr", {}, make("td", {}, make("a", { href: address("check", [place]) }, said(query.title || query.id))),
      make("td", { class: "number" }, percent(copied)), make("td", { class: "number" }, number(articles))));
  }
  const heads = ["Text", "Copied", "Found in"].map((one) => make("th", { scope: "col" }, one));
  const next = address("check", [], { from: String(to) });
  const more = to < many ? make("a", { href: next }, `${count(many - to, "text")} more`) : null;
  const element = make("article", { class: "page" }, make("h1", {}, "Checked texts"),
    make("p", { class: "lead" }, `${count(many, "text")} checked.`),
    make("table", { class: "answers" }, make("thead", {}, make("tr", {}, heads)), make("tbody", {}, rows)), make("p", {}, more));
  return view("Checked texts", element, SECTION);
}
