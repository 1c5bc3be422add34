// What textual.js does not do: say why a connection ended, come back after a lost one, name the page, bring files in and out.
"use strict";
(() => {
  const said = {
    4000: "You left. Your story is saved.",
    4001: "The story is open in another tab.",
    4002: "All places are taken. Try again later.",
    4003: "The app did not start. Ask whoever runs this server.",
  };
  const one = (selector) => document.querySelector(selector);

  function say(text, label, act) {
    const notice = one("#notice"), button = notice.querySelector("button");
    notice.querySelector("p").textContent = text;
    Object.assign(button, { hidden: !label, textContent: label, onclick: act });
    if (!notice.open) notice.showModal();
  }

  async function comeBack() {
    say("The connection was lost. Trying again…");
    for (;;) {
      try {
        const answer = await fetch("/ready", { cache: "no-store" });
        if (answer.ok) return location.reload();
        if (answer.status === 403) return say(await answer.text());
      } catch { /* the server is away */ }
      await new Promise((done) => setTimeout(done, 1000));
    }
  }

  let going = false;
  addEventListener("pagehide", () => { going = true; });
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(url, protocols) {
      super(url, protocols);
      this.addEventListener("message", ({ data }) => {
        const [kind, text] = typeof data === "string" ? JSON.parse(data) : [];
        if (kind === "title") document.title = text;
      });
      this.addEventListener("close", ({ code }) => {
        if (said[code]) say(said[code], "Open again", () => location.reload());
        else if (!going) comeBack();
      });
    }
    send(data) {
      if (this.readyState === Socket.OPEN) super.send(data);
    }
  };

  const open = window.open.bind(window);
  window.open = (url, ...more) => {
    const { origin, pathname } = new URL(url || "about:blank", location);
    if (origin !== location.origin) return open(url, ...more);
    if (pathname === "/upload") one("#upload").showModal();
    else if (pathname.startsWith("/download/")) Object.assign(document.createElement("a"), { href: pathname, download: "" }).click();
    return null;
  };

  async function upload(event) {
    event.preventDefault();
    const file = one("#upload input").files[0];
    const answer = await fetch(`/upload/${encodeURIComponent(file.name)}`, { method: "POST", body: file });
    one("#upload").close();
    say(await answer.text(), "Close", () => one("#notice").close());
  }

  const toTerminal = () => one(".xterm-helper-textarea")?.focus();
  addEventListener("load", () => setTimeout(toTerminal)); // after textual.js has made it

  addEventListener("DOMContentLoaded", () => {
    const terminal = one("#terminal");
    const size = Number(new URLSearchParams(location.search).get("fontsize"));
    terminal.dataset.fontSize = size >= 6 && size <= 60 ? size : 16;
    terminal.dataset.sessionWebsocketUrl = `${location.origin.replace("http", "ws")}/ws`;
    one("#upload form").addEventListener("submit", upload);
    one("#upload [type=button]").addEventListener("click", () => one("#upload").close());
    for (const dialog of document.querySelectorAll("dialog")) dialog.addEventListener("close", toTerminal);
  });
})();
