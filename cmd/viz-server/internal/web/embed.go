package web

import (
	"net/http"
	"slices"
	"strings"
)

// embedding says which sites may show which of our pages in frames.
type embedding struct {
	origins string   // separated by spaces, "*" for all, empty for none
	pages   []string // paths of pages, if their address asks to be embedded; one that ends in a slash stands for all below
	stages  []string // paths of the stage's document, which is in a frame of such a page
}

// newEmbedding lets the pages of these origins show lessons and runs of the Lab. InEachLanguage returns the paths of a
// page.
func newEmbedding(origins []string, inEachLanguage func(address string) []string) embedding {
	return embedding{
		origins: strings.Join(origins, " "), stages: inEachLanguage("/stage"),
		pages: append(inEachLanguage("/lessons/"), inEachLanguage("/lab")...),
	}
}

// embeds reports whether a request is for a page as other sites may show it: without what the page around it could make
// a reader press unawares.
func (e embedding) embeds(r *http.Request) bool {
	return e.origins != "" && r.URL.Query().Has("embed") && slices.ContainsFunc(e.pages, func(page string) bool {
		return r.URL.Path == page || strings.HasSuffix(page, "/") && strings.HasPrefix(r.URL.Path, page)
	})
}

// policy returns the policy of the answer to a request. A browser compares all pages around a frame, so the stage's
// document allows the same ones as the page that it's in.
func (e embedding) policy(r *http.Request) string {
	if !e.embeds(r) && (e.origins == "" || !slices.Contains(e.stages, r.URL.Path)) {
		return policy
	}
	return strings.Replace(policy, ancestors, ancestors+" "+e.origins, 1)
}

// opensFrame reports whether a foreign page's request opens one of these pages in a frame. Which page that is, no
// browser says here; it compares the page with the policy.
func (e embedding) opensFrame(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "iframe" && e.embeds(r)
}
