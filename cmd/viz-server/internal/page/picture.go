package page

import (
	"strings"

	"github.com/zkviz/zkviz/lessons"
)

// Shape is the form of a still picture. Every picture exists in each: on a phone the words of the usual one would be
// 5 px high.
type Shape string

// The shapes. A picture has the size of the stage that takes its place, on a screen of a common size.
const (
	Usual Shape = ""     // wide screens, and paper
	Tall  Shape = "tall" // upright phones and tablets
	Low   Shape = "low"  // phones whose browser leaves less height or that lie on their side, and small frames elsewhere
)

// shapes lists all shapes by the value of shape in a picture's address.
var shapes = []Shape{Usual, Tall, Low}

// ShapeOf returns the shape that an address asks for; false if there is none of that name.
func ShapeOf(name string) (Shape, bool) {
	for _, s := range shapes {
		if name == string(s) {
			return s, true
		}
	}
	return "", false
}

// Size returns the size of a picture in CSS px. On an upright screen two runs stand one above the other, in the height
// that --two-pictures in bench.css gives them.
func (s Shape) Size(pair bool) (width, height int) {
	switch {
	case s == Tall && pair:
		return 390, 548
	case s == Tall:
		return 390, 338 // 40 % of 844 px
	case s == Low && pair:
		return 352, 548
	case s == Low:
		return 352, 240
	}
	return 760, 470
}

// The screens that get another shape than the usual: on all others, words in the usual one have at least 9 px.
const (
	tallScreens   = "(max-width: 1019.9px) and (min-height: 760px)"
	narrowScreens = "(max-width: 759.9px)"
	flatScreens   = "(max-height: 500px)"
)

// smallScreens are all screens that may show a tall or a low picture.
const smallScreens = tallScreens + ", " + narrowScreens + ", " + flatScreens

// onScreen keeps the usual shape for paper.
func onScreen(queries ...string) string {
	return "screen and " + strings.Join(queries, ", screen and ")
}

// picture is a step's or a recipe's picture on a page.
type picture struct {
	slug, anchor string // as in a picture's address; slug is empty for a recipe
	alt          string
	loading      string // eager or lazy
	pair         bool   // two runs
	onBench      bool   // it stands where the stage does
}

// form is a shape that a picture takes on some screens.
type form struct {
	shape         Shape
	screens       string // a media query
	width, height string
}

func (p picture) formOf(s Shape, queries ...string) form {
	width, height := s.Size(p.pair)
	return form{s, onScreen(queries...), itoa(width), itoa(height)}
}

// forms lists the shapes other than the usual, the first that fits counts. Away from the bench a picture has the width
// of its column, and a low one leaves room for words. Two runs stand beside each other on a flat screen, as usual.
func (p picture) forms() []form {
	switch {
	case !p.onBench:
		return []form{p.formOf(Low, narrowScreens)}
	case p.pair:
		return []form{p.formOf(Tall, tallScreens), p.formOf(Low, narrowScreens+" and (min-height: 500.1px)")}
	}
	return []form{p.formOf(Tall, tallScreens), p.formOf(Low, narrowScreens, flatScreens)}
}

// usual returns the form that the picture has everywhere else.
func (p picture) usual() form { return p.formOf(Usual) }

// stepPicture is the picture of a step that stands where the stage does.
func stepPicture(slug string, s lessons.PageStep, loading string) picture {
	p := pictureOf(slug, s)
	p.loading, p.onBench = loading, true
	return p
}

// pictureOf is the picture of a step on another page.
func pictureOf(slug string, s lessons.PageStep) picture {
	return picture{slug: slug, anchor: s.Anchor, alt: s.Text, loading: "lazy", pair: s.Beside != ""}
}

// recipePicture is the picture of a recipe.
func recipePicture(name, alt string) picture { return picture{anchor: name, alt: alt, loading: "lazy"} }

// picture returns the address of a picture. Each theme has its own, and CSS shows one of them.
func (f Frame) picture(p picture, theme string, shape Shape) string {
	path := "/recipes/"
	if p.slug != "" {
		path = "/lessons/" + p.slug + "/"
	}
	query := "?theme=" + theme
	if shape != Usual {
		query += "&shape=" + string(shape)
	}
	return f.Base + f.Lang.To(path+p.anchor+".svg"+query)
}
