"use strict";
document.title = JSON.parse(document.getElementById("head").textContent).title;
