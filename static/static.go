// Package static holds the files that the server hands out as they are: styles, the page's script, the
// stage's frame, drawings, the licences of what is linked, and the WebAssembly under built once `make wasm` has made
// it.
//
// Scripts and styles are called as what they do: course.js keeps what the reader has done, panels.js what a lesson
// folds away, present.js presents, keep.js and clip.js save a picture and a clip, open.js opens a trace, fork.js a
// fork, menu.js shows what can be done to something on the stage, repair.js is a program with a gap, past.js the Past
// page, locks.js the list of locks.
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
