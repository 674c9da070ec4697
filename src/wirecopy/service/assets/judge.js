"use strict";
// Keys for what the page's buttons do. Each press sends one form; until its answer stands there, no other is sent.

const help = document.getElementById("help");
const columns = document.getElementById("columns");
const guide = document.getElementById("keys");
let sent = false;

/** What a reader who does not see the page is told of a change. */
function announce(words) {
  document.getElementById("status").textContent = words;
}

function toggleMarks() {
  if (!columns) return;
  const on = columns.classList.toggle("show-same");
  columns.classList.toggle("show-different", on);
  columns.classList.toggle("unmarked", !on);
  announce(on ? "equal words are marked" : "nothing is marked");
}

document.addEventListener("submit", (event) => {
  if (event.target.method === "dialog") return;
  if (sent) event.preventDefault();
  sent = true;
});

// A page that comes back from the browser's memory shows what was; what is now, the server knows.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || help.open) return;
  if (event.target.matches?.("input, select, textarea")) return;
  const button = [...document.querySelectorAll("button[data-keys]")].find((one) => one.dataset.keys.split(" ").includes(event.key));
  if (button) button.click();
  else if (event.key === "m") toggleMarks();
  else if (event.key === "?" && guide) help.showModal();
  else return;
  event.preventDefault();
});

if (guide) {
  guide.hidden = false;
  guide.addEventListener("click", () => help.showModal());
}
announce(document.getElementById("note")?.textContent || document.querySelector("h1").textContent);
