// The tests as plain JavaScript, which Node runs.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    ssr: true,
    rollupOptions: { input: ["tests/viewer.test.ts", "tests/measure.ts"] },
    outDir: "node_modules/.tests", copyPublicDir: false,
    target: "es2022",
  },
});
