package lua

import "math"

var maths = map[string]func(c *args) []value{
	"abs":        of(math.Abs),
	"acos":       of(math.Acos),
	"asin":       of(math.Asin),
	"atan":       of(math.Atan),
	"ceil":       of(math.Ceil),
	"cos":        of(math.Cos),
	"cosh":       of(math.Cosh),
	"deg":        of(func(x float64) float64 { return x / (math.Pi / 180) }),
	"exp":        of(math.Exp),
	"floor":      of(math.Floor),
	"log":        of(math.Log),
	"log10":      of(math.Log10),
	"rad":        of(func(x float64) float64 { return x * (math.Pi / 180) }),
	"sin":        of(math.Sin),
	"sinh":       of(math.Sinh),
	"sqrt":       of(math.Sqrt),
	"tan":        of(math.Tan),
	"tanh":       of(math.Tanh),
	"atan2":      ofTwo(math.Atan2),
	"fmod":       ofTwo(math.Mod),
	"mod":        ofTwo(math.Mod),
	"pow":        ofTwo(math.Pow),
	"ldexp":      func(c *args) []value { return one(math.Ldexp(c.num(1), c.int(2))) },
	"max":        best(func(a, b float64) bool { return a > b }),
	"min":        best(func(a, b float64) bool { return a < b }),
	"random":     random,
	"randomseed": func(c *args) []value { c.m.seed(uint32(c.int(1))); return nil },
	"frexp": func(c *args) []value {
		f, e := math.Frexp(c.num(1))
		return one(f, float64(e))
	},
	"modf": func(c *args) []value {
		n := c.num(1)
		if math.IsInf(n, 0) {
			return one(n, 0.0)
		}
		return one(math.Trunc(n), n-math.Trunc(n))
	},
}

func of(f func(float64) float64) func(c *args) []value {
	return func(c *args) []value { return one(f(c.num(1))) }
}

func ofTwo(f func(a, b float64) float64) func(c *args) []value {
	return func(c *args) []value {
		b := c.num(2) // C looks at it first
		return one(f(c.num(1), b))
	}
}

// best returns max or min.
func best(better func(a, b float64) bool) func(c *args) []value {
	return func(c *args) []value {
		most := c.num(1)
		for i := 2; i <= len(c.list); i++ {
			if n := c.num(i); better(n, most) {
				most = n
			}
		}
		return one(most)
	}
}

// seed restarts the random numbers like srand48. Every script starts with 0.
func (m *machine) seed(n uint32) { m.random = uint64(n)<<16 + 0x330E }

// next returns the next number of lrand48.
func (m *machine) next() float64 {
	m.random = (m.random*0x5DEECE66D + 0xB) & (1<<48 - 1)
	return float64(m.random>>17%math.MaxInt32) / math.MaxInt32
}

func random(c *args) []value {
	r := c.m.next()
	low, high := 1, 0
	switch len(c.list) {
	case 0:
		return one(r)
	case 1:
		if high = c.int(1); low > high {
			c.bad(1, "interval is empty")
		}
	case 2:
		if low, high = c.int(1), c.int(2); low > high {
			c.bad(2, "interval is empty")
		}
	default:
		return c.fail("wrong number of arguments")
	}
	return one(math.Floor(r*float64(high-low+1)) + float64(low))
}
