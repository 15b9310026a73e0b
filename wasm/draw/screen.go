//go:build js && wasm

package draw

import (
	_ "embed"
	"image/color"
	"unsafe"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/zkviz/zkviz/engine/stage/scene"
)

//go:embed shader.kage
var shaderSource []byte

// Screen draws frames. Make one with NewScreen.
type Screen struct {
	shader  *ebiten.Shader
	atlas   *atlas
	mesh    Mesh
	options ebiten.DrawTrianglesShaderOptions
}

// NewScreen prepares the shader and an empty atlas of labels.
func NewScreen() *Screen {
	shader, err := ebiten.NewShader(shaderSource)
	if err != nil {
		panic("draw: compile shader.kage: " + err.Error())
	}
	s := &Screen{shader: shader, atlas: newAtlas()}
	s.options.Images[0] = s.atlas.image
	return s
}

// Draw paints the frame, at ratio device pixels to a CSS pixel. It reports false if it omitted a label because the
// atlas was full: the next frame has room for it.
func (s *Screen) Draw(dst ebiten.FinalScreen, f *scene.Frame, ratio float64) bool {
	r, g, b, _ := f.Paper.RGBA()
	dst.Fill(color.RGBA{r, g, b, 255})
	s.atlas.begin()
	for ops := f.Ops; len(ops) > 0; {
		s.mesh.Reset()
		ops = ops[s.mesh.Add(ops, float32(ratio), s.atlas):]
		dst.DrawTrianglesShader(s.vertices(), s.mesh.Indices, s.shader, &s.options)
	}
	return !s.atlas.full
}

// vertices returns the mesh without copying: Vertex and ebiten.Vertex are twelve float32 each.
func (s *Screen) vertices() []ebiten.Vertex {
	const _ = -(unsafe.Sizeof(Vertex{}) ^ unsafe.Sizeof(ebiten.Vertex{})) // they have the same size
	v := s.mesh.Vertices
	return unsafe.Slice((*ebiten.Vertex)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}
