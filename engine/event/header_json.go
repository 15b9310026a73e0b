package event

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/base/jsontext"
)

// ParseHeader reads a header from the values of a JSON object that AppendHeader wrote. It skips values of the wrong
// type and returns the first one as an error.
func ParseHeader(values map[string]string) (h Header, err error) {
	err = ParseFields(values, h.Visit)
	return h, err
}

// ParseFields does the same as ParseHeader for any fields that visit visits.
func ParseFields(values map[string]string, visit func(Fields)) (err error) {
	visit(fieldReader{values, &err})
	return err
}

// fieldReader implements Fields by reading JSON.
type fieldReader struct {
	values map[string]string
	err    *error // the first
}

// read calls value to parse the named value, if there is one.
func (r fieldReader) read(name string, value func(d *jsontext.Decoder) error) {
	text, ok := r.values[name]
	if !ok || text == "null" {
		return
	}
	if err := value(&jsontext.Decoder{Text: text}); err != nil && *r.err == nil {
		*r.err = fmt.Errorf("the header's %q has the wrong type: %.40s", name, text)
	}
}

func (r fieldReader) Text(name string, v *string) {
	r.read(name, func(d *jsontext.Decoder) (err error) {
		*v, err = quoted(d)
		return err
	})
}

// quoted reads a string and replaces each byte that is not UTF-8 by U+FFFD.
func quoted(d *jsontext.Decoder) (string, error) {
	s, err := d.Quoted()
	return strings.ToValidUTF8(s, "\ufffd"), err
}

func (r fieldReader) Texts(name string, v *[]string) {
	r.read(name, func(d *jsontext.Decoder) error {
		texts, err := jsontext.List(d, func(s *string) (err error) {
			*s, err = quoted(d)
			return err
		})
		if err == nil {
			*v = texts
		}
		return err
	})
}

func (r fieldReader) Int(name string, v *int64) {
	r.read(name, func(d *jsontext.Decoder) (err error) {
		*v, err = d.Whole(64)
		return err
	})
}

func (r fieldReader) Number(name string, v *uint64) {
	r.read(name, func(d *jsontext.Decoder) error {
		s, err := d.Quoted()
		if err == nil {
			*v, err = strconv.ParseUint(s, 10, 64)
		}
		return err
	})
}

func (r fieldReader) Bool(name string, v *bool) {
	r.read(name, func(d *jsontext.Decoder) (err error) {
		*v, err = d.Truth()
		return err
	})
}

func (r fieldReader) List(name string, _ int, each func(int, Fields)) (n int) {
	r.read(name, func(d *jsontext.Decoder) error {
		items, err := jsontext.List(d, func(item *map[string]string) (err error) {
			*item, err = d.Object()
			return err
		})
		for ; err == nil && n < len(items); n++ {
			each(n, fieldReader{items[n], r.err})
		}
		return err
	})
	return n
}
