package lessons_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

func TestPictures(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	l := book.Lessons[0]
	address := srv.URL + "/lessons/" + l.Slug + "/" + l.Steps[0].Anchor + ".svg"
	status, h, light := webtest.Get(t, address)
	if status != 200 || h.Get("Content-Type") != "image/svg+xml" ||
		!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%d %v", status, h)
	}
	d := xml.NewDecoder(strings.NewReader(light))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if _, _, dark := webtest.Get(t, address+"?theme=dark"); dark == light {
		t.Error("the dark picture is the light one")
	}
	for path, want := range map[string]int{
		address + "?theme=pink":                                 400,
		strings.TrimSuffix(address, ".svg"):                     404,
		srv.URL + "/lessons/" + l.Slug + "/none.svg":            404,
		srv.URL + "/lessons/none/" + l.Steps[0].Anchor + ".svg": 404,
		srv.URL + "/lessons/none":                               404,
		srv.URL + "/recipes/none.svg":                           404,
		srv.URL + "/recipes/unique-lock":                        404,
		srv.URL + "/recipes/unique-lock.svg":                    200,
		srv.URL + "/nowhere":                                    404,
	} {
		if status, _, _ := webtest.Get(t, path); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
}

// TestPicturesByLanguage checks that a picture has its page's language, in any order of requests.
func TestPicturesByLanguage(t *testing.T) {
	const path = "/lessons/the-herd/number.svg"
	for _, order := range [][]page.Lang{{"en", uistrings.Pseudo, "en"}, {uistrings.Pseudo, "en", uistrings.Pseudo}} {
		srv := webtest.Serve(t, web.Config{Pseudo: true})
		for _, lang := range order {
			_, _, svg := webtest.Get(t, srv.URL+lang.To(path))
			if marked := strings.Contains(svg, "[!! "); marked != (lang == uistrings.Pseudo) {
				t.Errorf("in %s, asked for in the order %s, the picture's words are in another language", lang, order)
			}
		}
	}
}
