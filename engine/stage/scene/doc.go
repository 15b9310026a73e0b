// Package scene turns a view.State into a display list: what to draw and where, and what lies under the pointer.
//
// It works in two steps. Layout decides everything and makes a Plan of plain values: it asks each part of the
// picture for its size, its places and its plan. Frame paints plans and decides nothing: each value becomes the same
// few shapes. A Frame may hold several pictures side by side.
//
// Each part has a package below this one, with its own memory, and none knows Layout. All see one floor: what is
// drawn and when, who the clients are, and where everything stands. Layout calls the parts in the order in which
// they need each other, and paints them from the bottom up.
//
// All of this is pure: the same state, time and options give the same list. So a picture is a function of time and
// can be compared, printed and drawn by any caller. Nothing here draws on a screen: wasm/draw draws the list on a
// canvas, WriteSVG writes it to a document, and engine/stage/raster to a PNG. It reads no events and judges nothing.
//
// Functions that are called from everywhere are not inlined (go:noinline). That makes the page's program 0.06 MB
// smaller to download, and no slower.
//
// # Where to change what
//
//   - which picture a log gets: floor/kind.go and layout.go; event.Drawing is what a recipe says about it
//   - where znodes and clients stand: queue, tree and floor; what a znode's card says: znode; a client's words: client
//   - which part is drawn if there's no room for all: floor/page.go
//   - what a znode is to its siblings: floor/part.go; two runs beside each other: beside.go
//   - stores: store; the line at the foot: strip; lines of watches: watch; requests and replies: message
//   - servers of an ensemble: servers (messages, fences, clocks, votes, catching up, cost)
//   - nodes of other systems: remote; the short name of a command: text/command.go;
//     what clients say to a database: transcript
//   - how long something moves, grows or fades: floor/motion.go; how a client looks: floor/status.go and client.
//     Each client has a colour of its own, whatever it does
//   - what a picture says in words, and a lesson's claims: the marks of mark, put into words in told.go
//   - shapes and colours: display; lines, labels and small signs: paint; measuring and shortening: text; curves: geom
package scene
