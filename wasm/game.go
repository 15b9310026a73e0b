//go:build js && wasm

package main

import (
	"image/color"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/wasm/bridge"
	"github.com/zkviz/zkviz/wasm/draw"
)

// calls implements ebiten.Game for a game. Reflection may find whatever an interface's type refers to, so the linker
// keeps all exported methods of that. Functions hide the game, which makes the program smaller.
type calls struct {
	layout func(width, height float64) (float64, float64)
	update func() error
	draw   func(*ebiten.Image)
	finish func(ebiten.FinalScreen)
}

// LayoutF asks for one pixel in addition to the screen itself, which has device pixels: see DrawFinalScreen.
func (c *calls) LayoutF(width, height float64) (float64, float64) { return c.layout(width, height) }

// Layout is never called, since LayoutF exists.
func (c *calls) Layout(width, height int) (int, int) { return width, height }

// Update lets time pass.
func (c *calls) Update() error { return c.update() }

// Draw prepares the next frame.
func (c *calls) Draw(pixel *ebiten.Image) { c.draw(pixel) }

// DrawFinalScreen paints the frame on the screen itself, which Ebiten has cleared. Painting it elsewhere first and
// copying it, as games do, takes a quarter longer without a graphics card.
func (c *calls) DrawFinalScreen(screen ebiten.FinalScreen, _ *ebiten.Image, _ ebiten.GeoM) {
	c.finish(screen)
}

// game is the stage. Ebiten calls it for each scheduled frame.
type game struct {
	player *player.Player
	bridge *bridge.Bridge
	screen *draw.Screen
	frame  scene.Frame
	dark   bool

	width, height float64 // of the picture, in px of its own
	ratio         float64 // device pixels for each of these
	then          time.Duration
	updating      time.Duration // duration of the last Update, and of making the frame
	drawn         look
	fresh         bool // not on the screen yet
}

// look holds everything that a frame depends on. While it stays the same, nothing is drawn.
type look struct {
	version       uint64
	beside        bool
	ofBeside      uint64 // version of the second run
	at            time.Duration
	width, height float64
	dark          bool
	without       mark.Figures
}

func (g *game) layout(width, height float64) (float64, float64) {
	lens := g.bridge.Lens()
	g.ratio = ebiten.Monitor().DeviceScaleFactor() * lens
	g.width, g.height = width/lens, height/lens
	return 1, 1
}

// update lets time pass, and schedules the next frame if it will show something new.
func (g *game) update() error {
	now := bridge.Now()
	g.bridge.Drain()
	g.player.Tick(now - g.then)
	g.bridge.Follow()
	g.then, g.updating = now, bridge.Now()-now
	if g.player.Head.Playing() || g.player.Log.Shown().CatchingUp() {
		wake()
	}
	return nil
}

// draw prepares the next frame unless it would look the same.
func (g *game) draw(pixel *ebiten.Image) {
	now := look{version: g.player.Version(), at: g.player.Head.At(), width: g.width, height: g.height, dark: g.dark,
		without: g.bridge.Without()}
	now.beside, now.ofBeside = g.bridge.Beside.Apart()
	if !g.frame.Moving {
		g.drawn.at = now.at // time alone changes nothing
	}
	if now == g.drawn {
		g.bridge.Flush(false)
		return
	}
	begun := bridge.Now()
	if now.beside {
		g.frame.DrawBeside(g.bridge.Beside.Pictures(), g.options())
	} else {
		g.frame.Draw(g.player.State(), g.player.Head.At(), g.options())
	}
	g.drawn, g.fresh = now, true
	g.updating += bridge.Now() - begun
	pixel.Fill(color.White) // tells Ebiten that the screen has changed
}

// finish paints the frame on the screen.
func (g *game) finish(screen ebiten.FinalScreen) {
	if g.screen == nil {
		g.screen = draw.NewScreen()
	}
	begun := bridge.Now()
	whole := g.screen.Draw(screen, &g.frame, g.ratio)
	if !g.fresh {
		return
	}
	g.fresh = false
	if !whole {
		g.drawn = look{}
		wake() // some labels didn't fit
	}
	g.bridge.Drawn(g.updating + bridge.Now() - begun)
	g.bridge.Flush(false)
}

func (g *game) options() scene.Options {
	o := g.bridge.Options()
	o.Width, o.Height, o.Theme = g.width, g.height, display.Light()
	if g.dark {
		o.Theme = display.Dark()
	}
	return o
}

func (g *game) setTheme(dark bool) { g.dark = dark }
