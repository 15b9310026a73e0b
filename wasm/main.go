//go:build js && wasm

package main

import (
	"runtime/debug"
	"syscall/js"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/wasm/bridge"
)

// memory is the limit in bytes above which garbage is collected as often as needed: enough for a log of millions of
// events, and some more. A page may take 300 MB, with the engine in its worker.
const memory = 184 << 20

func main() {
	debug.SetMemoryLimit(memory)

	// Frames are drawn on request, and each starts from what the last one left.
	ebiten.SetFPSMode(ebiten.FPSModeVsyncOffMinimum)
	ebiten.SetTPS(ebiten.SyncWithFPS)
	ebiten.SetScreenClearedEveryFrame(false)

	address := bridge.ReadAddress()
	g := &game{player: player.New(), dark: address.Dark}
	g.bridge = bridge.New(g.player, address, wake, g.setTheme, &g.frame)
	g.bridge.Pointer()
	if err := ebiten.RunGame(&calls{g.layout, g.update, g.draw, g.finish}); err != nil {
		panic(err) // stage.js notices the end of the program and tells the page
	}
}

// wake schedules a frame. Ebiten needs to be woken for that; see stage.js.
func wake() {
	ebiten.ScheduleFrame()
	js.Global().Call("wake")
}
