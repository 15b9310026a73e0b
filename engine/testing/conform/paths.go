package conform

import "strings"

// paths draws paths for requests.
type paths struct {
	dice  *dice
	guess *guess
	top   string // most are below it
}

// known returns a path for a request: most often one that exists, or else near one, or any.
func (p *paths) known() string {
	switch n := p.dice.rng.IntN(100); {
	case n < 60:
		return p.guess.any(p.dice.rng)
	case n < 75:
		return p.child(p.guess.any(p.dice.rng))
	case n < 84 && len(p.guess.gone) > 0:
		return pick(p.dice, p.guess.gone...)
	case n < 92:
		return p.top
	case n < 96:
		return pick(p.dice, "/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota", "/zookeeper/quota/x", "")
	}
	return p.odd()
}

// fresh returns a path to create, most often one that doesn't exist.
func (p *paths) fresh() string {
	switch n := p.dice.rng.IntN(100); {
	case n < 80:
		return p.child(p.guess.any(p.dice.rng))
	case n < 90 && len(p.guess.gone) > 0:
		return pick(p.dice, p.guess.gone...)
	}
	return p.known()
}

func (p *paths) child(parent string) string {
	if strings.Count(parent, "/") > 6 {
		parent = p.top
	}
	return strings.TrimSuffix(parent, "/") + "/" + pick(p.dice, "a", "b", "c", "d", "e", "f", "s-", "t-", "ünï", "日本",
		"%41", "a b", ".x", "...")
}

// odd returns a path that no client library would send.
func (p *paths) odd() string {
	near := strings.TrimSuffix(p.guess.any(p.dice.rng), "/")
	return pick(p.dice, "", "x", "x/y", "//", "///", near+"/", near+"//a", near+"/.", near+"/..", near+"/./a",
		near+"/../a", "."+near, near+"/\x00", "\x00", near+"/a\x00b", near+"/\x01", near+"/\x1f", near+"/\x7f", near+
			"/\u0080",
		near+"/\u009f", near+"/\u00a0", near+"/\ud7ff", near+"/\ue000", near+"/\uf8ff", near+"/\uf900", near+"/\uffef",
		near+"/\ufff0", near+"/\uffff", near+"/\U0001f600", near+"/\xff", near+"/\xc3", near+"/\xe6\x97", near+
			"/\xed\xa0\x80",
		near+"/\xf8\x88\x80\x80\x80", near+"/\xc0\x80", near+"/\xf4\x90\x80\x80", near+"/a\n", near+"/ ", near+"/"+
			strings.Repeat("n", 300),
		"/zookeeper/a", "/zookeeper/config/a", "/zookeeper/quota/", "/zookeepers")
}

func (p *paths) some() []string {
	var all []string
	for range p.dice.rng.IntN(4) {
		all = append(all, p.known())
	}
	return all
}
