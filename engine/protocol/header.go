package protocol

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
)

// header reads a header. What is of another type than expected counts as left out.
func (d *decoder) header() (h event.Header, err error) {
	r, err := d.index()
	if err != nil {
		return h, err
	}
	end := d.at
	h.Visit(r)
	d.at = end
	return h, nil
}

// headerReader is the event.Fields that read an object.
type headerReader struct {
	d  *decoder
	at map[string]int // where each value begins
}

// index finds the values of an object.
func (d *decoder) index() (headerReader, error) {
	at := map[string]int{}
	err := d.members(func(key string) error {
		d.peek()
		at[key] = d.at
		return d.skip()
	})
	return headerReader{d, at}, err
}

// seek goes to a value. It reports false if there is none.
func (r headerReader) seek(name string) bool {
	at, ok := r.at[name]
	r.d.at = at
	return ok
}

func (r headerReader) Text(name string, v *string) {
	if r.seek(name) {
		*v, _ = r.d.quoted()
	}
}

func (r headerReader) Int(name string, v *int64) {
	if r.seek(name) {
		text, _ := r.d.number()
		*v, _ = strconv.ParseInt(text, 10, 64)
	}
}

func (r headerReader) Bool(name string, v *bool) {
	if r.seek(name) {
		*v, _ = r.d.truth()
	}
}

func (r headerReader) Number(name string, v *uint64) {
	var text string
	r.Text(name, &text)
	*v, _ = strconv.ParseUint(text, 10, 64)
}

func (r headerReader) Texts(name string, v *[]string) {
	if r.seek(name) {
		*v, _ = list(r.d, func(s *string) (err error) { *s, err = r.d.quoted(); return err })
	}
}

func (r headerReader) List(name string, _ int, each func(int, event.Fields)) (n int) {
	if !r.seek(name) || r.d.expect('[') != nil {
		return 0
	}
	_ = r.d.listed(']', func() error {
		item, err := r.d.index()
		if err != nil {
			return err
		}
		end := r.d.at
		each(n, item)
		r.d.at = end
		n++
		return nil
	})
	return n
}
