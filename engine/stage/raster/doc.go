// Package raster draws a display list (engine/stage/scene) into a PNG, where no SVG will do: links that others show,
// icons on a phone, slides.
//
// It draws what scene.WriteSVG writes and wasm/draw shows, with the Go fonts. They have Latin, Greek and Cyrillic
// letters. Any other character is an empty box, apart from a few signs that the scene itself uses. cmd/viz-server calls
// it, for its command render, its pages of lessons and its export. The programs in the page have a canvas and never
// link it.
package raster
