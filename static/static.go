// Package static holds the files that the server hands out as they are: styles, the page's script, the
// stage's frame, drawings, the licences of what is linked, and the WebAssembly under built once `make wasm` has made
// it.
package static

import "embed"

// Files are all of them, by their path in this folder.
//
//go:embed *.css *.js *.svg *.html *.txt built
var Files embed.FS

// Licences are the licences of all that is linked into viz-server and into the page's program: licences.txt.
func Licences() string {
	text, err := Files.ReadFile("licences.txt")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}
