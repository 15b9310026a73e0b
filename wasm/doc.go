// Command stage is the program in the stage's frame: the Ebiten game that plays a run.
//
// It only ties the parts together: wasm/bridge fills the player, wasm/scene says what to draw, wasm/draw
// draws it. It builds for the browser alone; anywhere else it is an empty program.
package main
