"use strict";

// All text that comes from the server is put into the page as text, never as markup.

const one = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat("en");
const share = (value) => (value * 100).toFixed(value === 1 ? 0 : 1) + " %";
const day = (seconds) => new Date(seconds * 1000).toISOString().replace("T", " ").slice(0, 16) + " UTC";

function size(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  return (unit ? bytes.toFixed(1) : numbers.format(bytes)) + " " + units[unit];
}

// An element with attributes and children.
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A list of names and values, without those that have none.
function facts(pairs) {
  const list = make("dl");
  for (const [name, value] of pairs) {
    if (value !== null && value !== undefined) list.append(make("dt", {}, name), make("dd", {}, value));
  }
  return list;
}

const documentLink = (id) => make("a", { href: "#document=" + encodeURIComponent(id) }, id);

async function ask(path, options = {}) {
  const token = sessionStorage.getItem("token");
  const headers = { ...options.headers };
  if (token) headers.Authorization = "Bearer " + token;
  const reply = await fetch(path, { ...options, headers });
  if (reply.ok) return reply;
  let problem = { detail: reply.statusText, code: String(reply.status) };
  try {
    problem = await reply.json();
  } catch {
    // Not every failure has a body.
  }
  one("token-form").hidden = problem.code !== "unauthorized";
  throw new Error(problem.detail + " (" + problem.code + ")");
}

const askJson = async (path, options) => (await ask(path, options)).json();
const post = (path, body) =>
  askJson(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// Of several answers for one place, that which was asked for last is shown, whichever comes last.
const asked = {};
function newest(place) {
  const mine = (asked[place] || 0) + 1;
  asked[place] = mine;
  return () => asked[place] === mine;
}

// Runs something for a place of the page and shows what goes wrong; it is handed whether it is still wanted.
async function attempt(place, work) {
  const wanted = newest(place);
  const problem = one("problem");
  problem.hidden = true;
  document.body.setAttribute("aria-busy", "true");
  try {
    await work(wanted);
  } catch (error) {
    if (!wanted()) return;
    problem.textContent = error.message;
    problem.hidden = false;
  } finally {
    if (wanted()) document.body.removeAttribute("aria-busy");
  }
}

function submission() {
  const kind = document.querySelector("input[name=kind]:checked").value;
  const body = { [kind]: one("text").value };
  const url = one("url").value.trim();
  if (url) body.url = url;
  return body;
}

const SAYS = {
  new: "nothing like it is in the index",
  near: "a page much like it is in the index",
  exact: "this very text is in the index",
};

function likeness(answer) {
  const similarity = answer.similarity === undefined ? null : share(answer.similarity);
  const error = answer.error === undefined ? "" : ", estimated, ± " + share(answer.error);
  return [
    ["Similarity", similarity === null ? null : similarity + error],
    ["Contained", answer.containment === undefined ? null : share(answer.containment) + " of its shingles"],
    ["Distance", answer.distance === undefined ? null : answer.distance + " of 64 bits"],
    ["Rule", answer.rule],
  ];
}

// Both texts beside each other, each with what only it has marked.
function sides(pieces, names) {
  const pane = (side, mark) => {
    const text = make("pre", { tabindex: "0" });
    let glue = "";
    for (const piece of pieces) {
      if (piece.of !== "both" && piece.of !== side) continue;
      if (glue && !piece.text.startsWith("\n")) text.append(" ");
      glue = " ";
      text.append(piece.of === "both" ? piece.text : make(mark, {}, piece.text));
    }
    return text;
  };
  const left = make("section", {}, make("h3", {}, names[0]), pane("a", "del"));
  const right = make("section", {}, make("h3", {}, names[1]), pane("b", "ins"));
  return make("div", { class: "sides" }, left, right);
}

const NO_DIFFERENCES = {
  no_text:
    "The index does not have both texts, so that it cannot be shown where they differ; `onefold index create --store text` makes one that stores texts.",
  too_long: "One of the texts is longer than a mebibyte: too long to show where they differ.",
};
const COARSE =
  "The texts are long: parts of them are shown as replaced as a whole, though they may have words in common.";

const hint = (text) => make("p", { class: "hint" }, text);

// Where two texts differ, or why that is not shown.
function differences(compared, names) {
  if (!compared.differences) return [hint(NO_DIFFERENCES[compared.no_differences])];
  const shown = sides(compared.differences, names);
  return compared.coarse ? [hint(COARSE), shown] : [shown];
}

async function decide(adding, wanted) {
  const body = submission();
  const out = one("verdict");
  const answer = await post(adding ? "v1/documents" : "v1/check", body);
  if (adding) count();
  if (!wanted()) return;
  const said = make(
    "p",
    { class: "said" },
    make("span", { class: "badge " + answer.verdict }, answer.verdict),
    make("span", {}, SAYS[answer.verdict] + (answer.known ? ", under this URL" : adding ? "; it was added" : "")),
  );
  const card = make("div", { class: "card" }, said);
  if (answer.match !== null) {
    card.append(facts([["Match", documentLink(answer.match)], ...likeness(answer)]));
  }
  out.replaceChildren(card);
  if (answer.match !== null) {
    const compared = await post("v1/compare?with=" + encodeURIComponent(answer.match), body);
    if (wanted()) out.append(...differences(compared, ["What was pasted", "What is in the index"]));
  }
}

function relative(documents) {
  const head = make("tr", {});
  for (const [name, kind] of [["Member", ""], ["Similarity", "number"], ["Distance", "number"], ["Last seen", ""], ["", ""]]) {
    head.append(make("th", { class: kind, scope: "col" }, name));
  }
  const body = make("tbody");
  for (const each of documents) {
    const compare = make("a", { href: "#compare=" + encodeURIComponent(each.id) + "&" + encodeURIComponent(each.keeper) }, "compare");
    body.append(
      make(
        "tr",
        {},
        make("td", {}, documentLink(each.id)),
        make("td", { class: "number" }, each.similarity === undefined ? "" : share(each.similarity)),
        make("td", { class: "number" }, each.distance === undefined ? "" : String(each.distance)),
        make("td", {}, day(each.last_seen)),
        make("td", {}, compare),
      ),
    );
  }
  return make("div", { class: "tablebox", tabindex: "0" }, make("table", {}, make("thead", {}, head), body));
}

function stored(each) {
  const card = make("div", { class: "card" });
  card.append(
    facts([
      ["URL", each.url],
      ["Key", each.key],
      ["First seen", day(each.first_seen)],
      ["Last seen", day(each.last_seen)],
      ["Digest", make("span", { class: "mono" }, each.digest)],
      ["Fingerprint", each.fingerprint ? make("span", { class: "mono" }, each.fingerprint) : null],
      ["Text", each.empty ? "has no word" : null],
      ["Shingles stored", numbers.format(each.shingles)],
      ["Keeper", each.keeper === null ? "itself" : documentLink(each.keeper)],
      ...(each.keeper === null ? [] : likeness(each)),
      ["Members", each.keeper === null ? numbers.format(each.members) : null],
    ]),
  );
  if (each.text) {
    card.append(make("details", {}, make("summary", {}, "Text"), make("pre", {}, each.text)));
  }
  return card;
}

// Members of a cluster that are listed.
const MOST_MEMBERS = 200;

function cluster(each) {
  if (!each.cluster || !each.cluster.length) return [];
  const [listed, all] = [each.cluster.length, each.members].map((count) => numbers.format(count));
  const cut = each.members > each.cluster.length ? [hint("The first " + listed + " of " + all + " members.")] : [];
  return [make("h3", {}, "Its cluster"), ...cut, relative(each.cluster)];
}

async function lookUp(id, wanted) {
  const out = one("found");
  out.replaceChildren();
  one("id").value = id;
  const query = "?members=" + MOST_MEMBERS + "&text=true";
  const found = await askJson("v1/documents/" + encodeURIComponent(id) + query);
  if (!wanted()) return;
  for (const each of found.documents) {
    out.append(stored(each), ...cluster(each));
    if (each.keeper !== null) {
      const path = "#compare=" + encodeURIComponent(each.id) + "&" + encodeURIComponent(each.keeper);
      out.append(make("p", {}, make("a", { href: path }, "Compare it with its keeper")));
    }
  }
}

async function compare(a, b, wanted) {
  const out = one("found");
  out.replaceChildren();
  if (!a || !b) throw new Error("Expected two documents to compare, as in #compare=ONE&OTHER");
  one("id").value = a;
  const query = "a=" + encodeURIComponent(a) + "&b=" + encodeURIComponent(b) + "&differences=true";
  const compared = await askJson("v1/compare?" + query);
  if (!wanted()) return;
  out.append(
    make("div", { class: "card" }, facts([["One", documentLink(a)], ["Other", documentLink(b)], ...likeness(compared)])),
    ...differences(compared, [a, b]),
  );
}

async function state() {
  const stats = await askJson("v1/stats");
  const figure = (value, name) => make("p", { class: "figure" }, make("b", {}, value), make("span", {}, name));
  const rule = stats.settings.rule;
  one("stats").replaceChildren(
    make(
      "div",
      { class: "figures card" },
      figure(numbers.format(stats.documents), "documents"),
      figure(numbers.format(stats.keepers), "keepers"),
      figure(numbers.format(stats.members), "members"),
      figure(size(stats.store_bytes + stats.segment_bytes), "on disk"),
    ),
    make(
      "div",
      { class: "card" },
      facts([
        ["Rule", rule.method],
        ["Threshold", rule.threshold === undefined ? null : String(rule.threshold)],
        ["Distance", rule.tables === undefined ? null : "up to " + rule.tables.k + " bits, " + stats.tables + " tables"],
        ["Segments", numbers.format(stats.segments) + ", " + size(stats.segment_bytes)],
        ["Keys in memory", numbers.format(stats.head_entries) + " in no segment yet, " + size(stats.memory_bytes)],
        ["Store", size(stats.store_bytes)],
        ["Trouble", stats.trouble],
      ]),
    ),
  );
  const pictures = [
    ["leading.svg", "Where sorted fingerprints differ first, by position of the bit"],
    ["buckets.svg", "How full the buckets of fingerprints are"],
  ];
  const drawn = [];
  for (const [name, title] of pictures) {
    const url = URL.createObjectURL(await (await ask("v1/pictures/" + name)).blob());
    const image = make("img", { class: "picture", src: url, alt: title, width: "800", height: "320" });
    image.addEventListener("load", () => URL.revokeObjectURL(url));
    drawn.push(make("figure", { class: "card" }, image));
  }
  one("pictures").replaceChildren(...drawn);
}

async function count() {
  const stats = await askJson("v1/stats");
  one("count").textContent = numbers.format(stats.documents) + " documents";
}

// The view is in the address, so that back, forward and links work.
function show() {
  const [name, value] = location.hash.slice(1).split(/=(.*)/s);
  const view = { document: "document", compare: "document", index: "index" }[name] || "check";
  for (const each of ["check", "document", "index"]) {
    one("view-" + each).hidden = each !== view;
    const link = document.querySelector('nav a[href="#' + each + '"]');
    if (each === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (name === "document" && value) attempt("found", (wanted) => lookUp(decodeURIComponent(value), wanted));
  else if (name === "compare" && value) {
    attempt("found", (wanted) => {
      const [a, b] = value.split("&").map(decodeURIComponent);
      return compare(a, b, wanted);
    });
  } else if (view === "index") attempt("index", state);
  else one("problem").hidden = true;
}

one("check-form").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt("verdict", (wanted) => decide(false, wanted));
});
one("add-button").addEventListener("click", () => {
  if (one("check-form").reportValidity()) attempt("verdict", (wanted) => decide(true, wanted));
});
one("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) one("check-form").requestSubmit(one("check-button"));
});
one("document-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const hash = "#document=" + encodeURIComponent(one("id").value.trim());
  if (location.hash === hash) show();
  else location.hash = hash;
});
one("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", one("token").value.trim());
  one("token-form").hidden = true;
  one("problem").hidden = true;
  attempt("count", count).then(show);
});
window.addEventListener("hashchange", show);
attempt("count", count).then(show);
