package classes

import (
	"bytes"
	"fmt"

	"rsc.io/qr"
)

// quiet is the width of the light border that readers of QR codes need, in modules.
const quiet = 4

// codeSVG draws a QR code: dark on white whatever the page's theme, because many readers take no other.
func codeSVG(code *qr.Code) []byte {
	var b bytes.Buffer
	size := code.Size + 2*quiet
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %[1]d" shape-rendering="crispEdges">`+
		`<rect width="%[1]d" height="%[1]d" fill="#fff"/><path d="`, size)
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			n := 0
			for code.Black(x+n, y) { // false beyond the edge
				n++
			}
			if n > 0 {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%[3]dz", x+quiet, y+quiet, n)
			}
			x += n
		}
	}
	b.WriteString(`"/></svg>`)
	return b.Bytes()
}
