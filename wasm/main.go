//go:build js && wasm

package main

import (
	"runtime/debug"
	"syscall/js"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/zkviz/zkviz/wasm/bridge"
	"github.com/zkviz/zkviz/wasm/player"
)

// memory is the memory in bytes from which on garbage is collected as often as it takes: what a log of some millions of
// events needs, and some more. A page may take 300 MB.
const memory = 240 << 20

func main() {
	debug.SetMemoryLimit(memory)

	// Frames are drawn when something asks for one, and each begins with what the one before left.
	ebiten.SetFPSMode(ebiten.FPSModeVsyncOffMinimum)
	ebiten.SetTPS(ebiten.SyncWithFPS)
	ebiten.SetScreenClearedEveryFrame(false)

	address := bridge.ReadAddress()
	g := &game{player: player.New(), dark: address.Dark}
	g.bridge = bridge.New(g.player, address, wake, g.setTheme, &g.frame)
	g.bridge.Pointer()
	if err := ebiten.RunGame(g); err != nil {
		panic(err) // stage.js sees the program end and tells the page
	}
}

// wake asks for a frame. Ebiten draws it if it is woken for it; see stage.js.
func wake() {
	ebiten.ScheduleFrame()
	js.Global().Call("wake")
}
