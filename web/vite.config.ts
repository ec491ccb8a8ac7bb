import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// One script and one style sheet of fixed names, so that the built pages can be committed, compared and embedded.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    sourcemap: false,
    modulePreload: false,
    target: "es2023",
    cssCodeSplit: false,
    chunkSizeWarningLimit: 700,
    rollupOptions: {
      output: {
        entryFileNames: "pages.js",
        codeSplitting: false,
        assetFileNames: "pages[extname]",
      },
    },
  },
});
