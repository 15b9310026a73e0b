// Package display has the display list: the shapes that make a picture, their colours, and what responds to the
// pointer. It decides nothing and draws nothing. Package paint fills a list; scene.WriteSVG, engine/stage/raster
// and wasm/draw draw it.
package display
