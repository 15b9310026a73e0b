package site

import (
	"net/url"
	"path"
	"strings"
)

// File returns the name of the file that an exported site has for an address below its base: lessons/the-herd.html for
// /lessons/the-herd. Values in the query of a picture or of figures become part of it; other files don't depend on the
// query.
func File(address string) string {
	address, query, _ := strings.Cut(address, "?")
	var values []string
	for part := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(part, "=")
		value, _ = url.QueryUnescape(value) // empty if it is damaged: then nobody has made it
		values = append(values, value)
	}
	name, ext := strings.TrimPrefix(address, "/"), path.Ext(address)
	switch {
	case strings.Contains(address, "/api/"):
		return name + "/" + strings.Join(values, "-") + ".json"
	case ext == ".svg" && query != "" && !strings.HasPrefix(name, "static/"):
		return strings.TrimSuffix(name, ext) + "." + strings.Join(values, "-") + ext
	case name == "" || strings.HasSuffix(name, "/"):
		return name + "index.html"
	case ext == "":
		return name + ".html"
	}
	return name
}

// VariesByQuery reports whether the query of an address decides what its file contains.
func VariesByQuery(address string) bool {
	return File(address) != File(strings.SplitN(address, "?", 2)[0])
}
