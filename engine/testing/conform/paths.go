package conform

import "strings"

// path returns a path for a request: most often one that exists, or else near one, or any.
func (d *drawing) path() string {
	switch n := d.rng.IntN(100); {
	case n < 60:
		return d.guess.any(d.rng)
	case n < 75:
		return d.child(d.guess.any(d.rng))
	case n < 84 && len(d.gone) > 0:
		return pick(d, d.gone...)
	case n < 92:
		return d.top
	case n < 96:
		return pick(d, "/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota", "/zookeeper/quota/x", "")
	}
	return d.oddPath()
}

// newPath returns a path to create, most often one that doesn't exist.
func (d *drawing) newPath() string {
	switch n := d.rng.IntN(100); {
	case n < 80:
		return d.child(d.guess.any(d.rng))
	case n < 90 && len(d.gone) > 0:
		return pick(d, d.gone...)
	}
	return d.path()
}

func (d *drawing) child(parent string) string {
	if strings.Count(parent, "/") > 6 {
		parent = d.top
	}
	return strings.TrimSuffix(parent, "/") + "/" + pick(d, "a", "b", "c", "d", "e", "f", "s-", "t-", "ünï", "日本", "%41",
		"a b", ".x", "...")
}

// oddPath returns a path that no client library would send.
func (d *drawing) oddPath() string {
	near := strings.TrimSuffix(d.guess.any(d.rng), "/")
	return pick(d, "", "x", "x/y", "//", "///", near+"/", near+"//a", near+"/.", near+"/..", near+"/./a",
		near+"/../a", "."+near, near+"/\x00", "\x00", near+"/a\x00b", near+"/\x01", near+"/\x1f", near+"/\x7f", near+
			"/\u0080",
		near+"/\u009f", near+"/\u00a0", near+"/\ud7ff", near+"/\ue000", near+"/\uf8ff", near+"/\uf900", near+"/\uffef",
		near+"/\ufff0", near+"/\uffff", near+"/\U0001f600", near+"/\xff", near+"/\xc3", near+"/\xe6\x97", near+
			"/\xed\xa0\x80",
		near+"/\xf8\x88\x80\x80\x80", near+"/\xc0\x80", near+"/\xf4\x90\x80\x80", near+"/a\n", near+"/ ", near+"/"+
			strings.Repeat("n", 300),
		"/zookeeper/a", "/zookeeper/config/a", "/zookeeper/quota/", "/zookeepers")
}
