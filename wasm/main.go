//go:build js && wasm

package main

import (
	"runtime"
	"runtime/debug"
	"syscall/js"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/wasm/bridge"
)

// A page may take 300 MB, with the engine in its worker, and a program's memory never shrinks. So garbage is collected
// when the heap has grown by growth percent, not when it has doubled. Small heaps would be collected too often: they
// count as larger by ballast, which nobody touches, so that it takes no memory. Above limit bytes, enough for a log of
// millions of events, garbage is collected as often as needed.
const (
	growth  = 25
	ballast = 16 << 20
	limit   = 184 << 20
)

func main() {
	debug.SetGCPercent(growth)
	debug.SetMemoryLimit(limit)
	defer runtime.KeepAlive(make([]byte, ballast))

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
