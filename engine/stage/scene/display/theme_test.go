package display_test

import (
	"math"
	"testing"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// sights are how people see linear red, green and blue: most people, and those who lack one kind of cone (Machado et
// al., 2009).
var sights = map[string][3][3]float64{
	"all cones":      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"no long cones":  {{0.152, 1.053, -0.205}, {0.115, 0.786, 0.099}, {-0.004, -0.048, 1.052}},
	"no mid cones":   {{0.367, 0.861, -0.228}, {0.280, 0.673, 0.047}, {-0.012, 0.043, 0.969}},
	"no short cones": {{1.256, -0.077, -0.179}, {-0.078, 0.931, 0.148}, {0.005, 0.691, 0.304}},
}

// lab returns a colour as somebody sees it, in CIELAB.
func lab(c display.Colour, sight [3][3]float64) (l, a, b float64) {
	red, green, blue, _ := c.RGBA()
	var linear, seen [3]float64
	for i, v := range [3]uint8{red, green, blue} {
		linear[i] = math.Pow((float64(v)/255+0.055)/1.055, 2.4)
	}
	for i := range seen {
		for k := range linear {
			seen[i] += sight[i][k] * linear[k]
		}
		seen[i] = min(max(seen[i], 0), 1)
	}
	x := math.Cbrt((0.412*seen[0] + 0.358*seen[1] + 0.180*seen[2]) / 0.950)
	y := math.Cbrt(0.213*seen[0] + 0.715*seen[1] + 0.072*seen[2])
	z := math.Cbrt((0.019*seen[0] + 0.119*seen[1] + 0.950*seen[2]) / 1.089)
	return 116*y - 16, 500 * (x - y), 200 * (y - z)
}

// TestEpochsAreNoClients checks that nobody takes an epoch's colour for another epoch's, or for a client's unless it's
// the accent.
func TestEpochsAreNoClients(t *testing.T) {
	for name, theme := range map[string]display.Theme{"light": display.Light(), "dark": display.Dark()} {
		for sight, cones := range sights {
			away := func(a, b display.Colour) float64 {
				l, x, y := lab(a, cones)
				m, u, v := lab(b, cones)
				return math.Hypot(l-m, math.Hypot(x-u, y-v))
			}
			for i, epoch := range theme.Epoch {
				others := []display.Colour{theme.Epoch[(i+1)%3]}
				if epoch != theme.Accent {
					others = append(others, theme.Client[:]...)
				}
				for k, other := range others {
					if far := away(epoch, other); far < 20 {
						t.Errorf("%s, %s: the colour of epoch %d is only %.0f away from colour %d", name, sight, i, far, k)
					}
				}
			}
		}
	}
}
