//go:build js && wasm

package draw

import (
	"image"
	"math"
	"strconv"
	"syscall/js"

	"github.com/hajimehoshi/ebiten/v2"
)

// atlasSize is the width and height of the label atlas in pixels: 16 MB, some thousands of labels.
const atlasSize = 2048

// maxRunes is the maximum length of a painted text. Display lists have shorter ones.
const maxRunes = 200

// The fonts of the page and the pictures, so that nothing needs to be downloaded.
const (
	sansFont = `Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif`
	monoFont = `ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace`
)

// atlas keeps every label as an image, painted once by the browser's 2D canvas with system fonts.
type atlas struct {
	image   *ebiten.Image
	packer  packer
	known   map[labelKey]Label
	full    bool
	canvas  js.Value
	context js.Value
	width   int // of the canvas
	height  int
	font    string // of the context
	pixels  []byte
}

type labelKey struct {
	text       string
	size       float32
	bold, mono bool
}

func newAtlas() *atlas {
	s := &atlas{packer: packer{size: atlasSize}, known: map[labelKey]Label{}}
	bounds := image.Rect(0, 0, atlasSize, atlasSize)
	s.image = ebiten.NewImageWithOptions(bounds, &ebiten.NewImageOptions{Unmanaged: true})
	s.canvas = js.Global().Get("document").Call("createElement", "canvas")
	s.context = s.canvas.Call("getContext", "2d", map[string]any{"willReadFrequently": true})
	return s
}

// begin empties the atlas if it was full in the last frame.
func (s *atlas) begin() {
	if s.full {
		clear(s.known)
		s.packer.clear()
		s.full = false
	}
}

// Label implements Labels.
func (s *atlas) Label(text string, size float32, bold, mono bool) (Label, bool) {
	key := labelKey{text, size, bold, mono}
	if l, ok := s.known[key]; ok {
		return l, true
	}
	if s.full {
		return Label{}, false
	}
	l, ok := s.paint(key)
	if !ok {
		s.full = true
		return Label{}, false
	}
	s.known[key] = l
	return l, true
}

// paint adds a text to the atlas, with room above and below for every script.
func (s *atlas) paint(key labelKey) (Label, bool) {
	text := shorten(key.text)
	s.setFont(key)
	advance := s.context.Call("measureText", text).Get("width").Float()
	side := math.Ceil(float64(key.size)*0.15) + 1
	up := math.Ceil(float64(key.size)*1.2) + 1
	down := math.Ceil(float64(key.size)*0.45) + 1
	w := min(int(math.Ceil(advance)+2*side), atlasSize-2)
	h := min(int(up+down), atlasSize-2)
	x, y, ok := s.packer.place(w, h)
	if !ok {
		return Label{}, false
	}
	s.grow(w, h, key)
	s.context.Call("clearRect", 0, 0, w, h)
	s.context.Call("fillText", text, side, up)
	s.upload(x, y, w, h)
	return Label{
		X: float32(x), Y: float32(y), W: float32(w), H: float32(h),
		Left: float32(side), Up: float32(up), Advance: float32(advance),
	}, true
}

// upload copies the canvas's corner to the atlas. Only its alpha is used.
func (s *atlas) upload(x, y, w, h int) {
	data := s.context.Call("getImageData", 0, 0, w, h).Get("data")
	n := 4 * w * h
	if cap(s.pixels) < n {
		s.pixels = make([]byte, n)
	}
	s.pixels = s.pixels[:n]
	js.CopyBytesToGo(s.pixels, data)
	s.image.SubImage(image.Rect(x, y, x+w, y+h)).(*ebiten.Image).WritePixels(s.pixels)
}

// grow enlarges the canvas if needed, which resets its context.
func (s *atlas) grow(w, h int, key labelKey) {
	if w <= s.width && h <= s.height {
		return
	}
	s.width, s.height = max(w, s.width, 256), max(h, s.height, 32)
	s.canvas.Set("width", s.width)
	s.canvas.Set("height", s.height)
	s.font = ""
	s.setFont(key)
}

func (s *atlas) setFont(key labelKey) {
	family, weight := sansFont, "400 "
	if key.mono {
		family = monoFont
	}
	if key.bold {
		weight = "700 "
	}
	font := weight + strconv.FormatFloat(float64(key.size), 'f', 2, 32) + "px " + family
	if font != s.font {
		s.font = font
		s.context.Set("font", font)
		s.context.Set("fillStyle", "#fff")
	}
}

func shorten(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxRunes {
			return text[:i] + "…"
		}
	}
	return text
}
