// Package static holds the files that the server hands out as they are: styles, the page's script, the
// stage's frame, drawings, and the WebAssembly under built once `make wasm` has made it.
package static

import "embed"

// Files are all of them, by their path in this folder.
//
//go:embed *.css *.js *.svg *.html built
var Files embed.FS
