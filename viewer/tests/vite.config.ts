// The tests as plain JavaScript, which Node runs.
import { defineConfig } from "vite";

export default defineConfig({
  build: { ssr: "tests/viewer.test.ts", outDir: "node_modules/.tests", copyPublicDir: false, target: "es2022" },
});
