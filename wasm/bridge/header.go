//go:build js && wasm

package bridge

import (
	"strconv"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event"
)

// headerReader is the event.Fields that read an object of the browser's. What is of another type counts as left out.
type headerReader struct{ v js.Value }

func (r headerReader) there() bool { return r.v.Type() == js.TypeObject }

func (r headerReader) Text(name string, v *string) {
	if r.there() {
		*v = text(r.v, name)
	}
}

func (r headerReader) Int(name string, v *int64) {
	if r.there() {
		*v = int64(number(r.v, name))
	}
}

func (r headerReader) Bool(name string, v *bool) { *v = r.there() && truth(r.v, name) }

func (r headerReader) Number(name string, v *uint64) {
	if r.there() {
		*v, _ = strconv.ParseUint(text(r.v, name), 10, 64)
	}
}

func (r headerReader) Texts(name string, v *[]string) {
	if r.there() {
		each(r.v, name, func(item js.Value) { *v = append(*v, item.String()) })
	}
}

func (r headerReader) List(name string, _ int, visit func(int, event.Fields)) (n int) {
	if r.there() {
		each(r.v, name, func(item js.Value) { visit(n, headerReader{item}); n++ })
	}
	return n
}
