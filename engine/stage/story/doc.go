// Package story draws a whole run, or a window of it, in one still: time along one side, a lane for each client, server
// and store along the other. Messages are slanted lines between lanes. What a client believes lies beside what the
// servers say, so a client that only thinks that it holds a lock shows as a belief without a truth.
//
// It works in two steps, like package scene, and draws with the same shapes. Make reads a window of a log and makes a
// Plan of plain values; Plan.Draw paints it into a scene.Frame. What is true and what clients believe comes from the
// fold (engine/analysis/view), so the package judges nothing and reads nothing twice. It isn't the stage: it has no
// clock, and nothing moves.
//
// A window costs what happens in it, and finding its beginning: the log's length doesn't matter.
//
// The command story and the lessons' pages call it. Sheets divides a long log into pictures of a few events each, for a
// page that scrolls through it.
//
// # Where to change what
//
//   - what becomes a message, a bar or a mark: read.go, bars.go, marks.go
//   - which stretches are folded: axis.go
//   - who gets a lane: lanes.go
//   - where everything stands: place.go; words beside it: label.go
//   - colours and shapes: paint.go; what led to an event: cause.go
//   - the story in words: told.go; what a page gets of a long log: sheets.go
package story
