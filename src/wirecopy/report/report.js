// The page itself: from the address to a view, and the keys.

const main = document.getElementById("main");
const status = document.getElementById("status");
const help = document.getElementById("help");
let current = view("", main);
let turns = 0;
let starting = null;

/** What a reader who does not see the page is told of a change. */
function announce(words) {
  status.textContent = words;
}

/** What an address asks for. */
function asked() {
  const [path, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  const parts = path.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { name: parts[0], parts: parts.slice(1), options: new URLSearchParams(query) };
}

const first = () => ({ pair: "pair", check: "check" })[head.view] || "overview";

async function viewOf({ name, parts, options }) {
  if (head.view === "pair") return name === "about" ? aboutPage() : pairPage(parts, options);
  if (name === "about") return aboutPage();
  if (name === "pair" && parts.length > 1) return pairPage(parts, options);
  if (head.view === "check") return checkPage(parts[0]);
  if (Object.hasOwn(SECTIONS, name) && !parts.length) return list(name, options);
  if (["story", "series", "matches"].includes(name)) return storyPage(name, parts[0]);
  return overview();
}

/** The view that the address asks for is put on the page; a slow one that is no longer asked for is dropped. */
async function show() {
  const mine = (turns += 1);
  const wanted = asked();
  const before = Object.values(lists).find((one) => one.address === current.address);
  if (before) before.left = scrollY;
  main.setAttribute("aria-busy", "true");
  let made;
  try {
    await (starting ||= start());
    made = await viewOf(wanted);
  } catch (problem) {
    made = view("Not shown", make("article", { class: "page" }, make("h1", {}, "This could not be shown"), make("p", { class: "lead" }, String(problem.message || problem), ".")), { back: "#overview" });
  }
  if (mine !== turns) return;
  const moved = current.element !== main;
  current = { ...made, address: location.hash };
  main.replaceChildren(made.element);
  main.removeAttribute("aria-busy");
  document.title = made.title === head.title ? head.title : `${made.title} – ${head.title}`;
  mark(wanted.name || first());
  scrollTo(0, 0);
  if (moved) main.focus({ preventScroll: true });
  made.ready?.();
}

async function start() {
  const element = document.getElementById("index");
  index = (element.textContent.trim() && (await unpack(element))) || { id: [], kind: [], title: [] };
  frame();
}

// What stands above every view

function frame() {
  const nav = document.getElementById("sections");
  const listed = head.view !== "report" ? [[first(), head.view === "pair" ? "Pair" : "Checked", null]]
    : [["overview", "Overview", null], ...Object.keys(SECTIONS).map((name) => [name, SECTIONS[name].title, passing(SECTIONS[name].kind, {}).length]).filter(([name, , many]) => many || name === "stories")];
  nav.append(...[...listed, ["about", "About", null]].map(([name, words, many]) =>
    make("a", { href: `#${name}`, "data-section": name }, words, many === null ? null : make("span", { class: "number" }, number(many)))));
  document.getElementById("name").append(make("b", {}, "wirecopy"), " ", said(head.title));
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  document.getElementById("keys").addEventListener("click", () => help.showModal());
  help.append(make("h2", { id: "help-title" }, "Keys"), keyTable(), make("form", { method: "dialog" }, make("button", {}, "Close")));
}

/** The section that one is in, marked in the navigation. */
function mark(name) {
  const within = { story: "stories", pair: asked().options.get("of") === "series" ? "series" : "stories" };
  const here = head.view === "report" ? within[name] || name : name === "about" ? name : first();
  for (const link of document.querySelectorAll("#sections a")) {
    if (link.dataset.section === here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const writing = event.target.matches?.("input:not([type=checkbox]), select, textarea");
  if (event.key === "Escape") {
    if (writing) event.target.blur();
    else if (current.back) location.hash = current.back;
    return;
  }
  if (writing) return;
  if (event.key === "?") help.showModal();
  else if (current.keys[event.key]) current.keys[event.key]();
  else if (event.key === "/" && head.view === "report") searchStories();
  else return;
  event.preventDefault();
}

async function searchStories() {
  location.hash = lists.stories?.address || "#stories";
  await new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
  await show();
  document.getElementById("search")?.focus();
}

history.scrollRestoration = "manual";
addEventListener("hashchange", show);
document.addEventListener("keydown", press);
show();
