package text

import (
	"strings"
)

// Counted joins two sentences with a number each, and omits one whose number is 0.
func (w *Writer) Counted(key string, n int, other string, m int) string {
	switch {
	case n == 0 && m == 0:
		return ""
	case m == 0:
		return w.Count(key, n)
	case n == 0:
		return w.Count(other, m)
	}
	first, second := w.Count(key, n), w.Count(other, m)
	return w.Say(first, " · ", second).Label()
}

// Phrases returns as many whole phrases of a text as fit; if not even the first fits, it cuts that.
func (w *Writer) Phrases(s string, a Face, room float64) string {
	for short := s; ; {
		if a.Width(short) <= room {
			return short
		}
		i := strings.LastIndex(short, " · ")
		if i < 0 {
			return w.Cut(short, a, room)
		}
		short = short[:i]
	}
}

// Count returns the sentence of a key with a number in it, or its singular form.
func (w *Writer) Count(key string, n int) string {
	if one := key + ".one"; n == 1 && w.Words.Has(one) {
		key = one
	}
	return w.Filled(key, w.Grouped(n))
}
