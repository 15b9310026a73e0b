// Command stage is the program in the stage's frame: the Ebiten game that plays a run.
//
// It connects the parts: wasm/bridge fills the player, engine/stage/scene decides what to draw, wasm/draw draws
// it. It builds only for the browser; on other platforms it is an empty program.
package main
