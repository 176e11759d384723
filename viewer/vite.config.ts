// The page is built into the crate that serves it: a few files with fixed names, which are committed.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    outDir: process.env["GRANULE_PAGE"] ?? "../crates/granule-view/page",
    emptyOutDir: true,
    modulePreload: false,
    target: "es2022",
    license: { fileName: "licences.md" },
    rollupOptions: {
      output: {
        entryFileNames: "viewer.js",
        assetFileNames: (asset) => (asset.names[0]?.endsWith(".css") ? "viewer.css" : "[name][extname]"),
      },
    },
  },
});
