package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/link"
)

// signInAt is the address for posting the token's form.
const signInAt = "/sign-in"

// requireSignIn passes requests on that the front admits. Other clients get a form for the token, if there is one. The
// form's style and script are public.
func (s *Server) requireSignIn(next http.Handler) http.Handler {
	if !s.front.Asks() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.SetPathValue("language", string(s.site.LanguageAt(r.URL.Path)))
		given := r.URL.Query().Get("token")
		_, known := s.front.Admits(r)
		switch {
		case r.URL.Path == s.base+signInAt:
			s.signIn(w, r)
		case strings.HasPrefix(r.URL.Path, s.base+"/static/"):
			next.ServeHTTP(w, r)
		case given != "" && s.front.Knows(given):
			http.SetCookie(w, s.front.Cookie(r, s.base+"/"))
			s.onward(w, r)
		case known:
			w.Header().Set("Vary", "Cookie, Authorization")
			next.ServeHTTP(w, r)
		case s.embed.embeds(r):
			s.closed(w, r)
		case fromOtherSite(r):
			s.onward(w, r)
		default:
			s.askToken(w, r, given != "")
		}
	})
}

// fromOtherSite reports whether a link on another site led here. A browser then sends no cookie, but does when our own
// page leads on.
func fromOtherSite(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Method == http.MethodGet
}

// onward answers with a page of ours that leads to the same address without the token.
func (s *Server) onward(w http.ResponseWriter, r *http.Request) {
	p := page.SignInProps{Frame: s.site.CachedFrame(r, ""), Next: withoutToken(r)}
	s.site.Private(w, r, http.StatusOK, page.Onward(p))
}

// closed answers in a frame on another site, where a browser sends no cookie, with the way to a window of its own.
func (s *Server) closed(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="zkviz"`)
	p := page.SignInProps{Frame: s.site.CachedFrame(r, ""), Next: withoutToken(r, link.FrameNames...)}
	s.site.Private(w, r, http.StatusUnauthorized, page.Closed(p))
}

// withoutToken returns a request's address without the token and other parameters.
func withoutToken(r *http.Request, names ...string) string {
	q := r.URL.Query()
	for _, name := range append(names, "token") {
		q.Del(name)
	}
	return (&url.URL{Path: r.URL.Path, RawQuery: q.Encode()}).String()
}

// signIn takes the token from the posted form.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	next := r.PostFormValue("next") // reads the body, which the guard has limited
	if r.Method != http.MethodPost || !s.front.TakesToken() {
		http.Redirect(w, r, s.base+"/", http.StatusSeeOther)
		return
	}
	if !s.isOurs(next) {
		next = s.base + "/"
	}
	if !s.front.Knows(strings.TrimSpace(r.PostFormValue("token"))) {
		u, _ := url.Parse(next) // isOurs has checked it
		r.SetPathValue("language", string(s.site.LanguageAt(u.Path)))
		r.URL = u
		s.askToken(w, r, true)
		return
	}
	http.SetCookie(w, s.front.Cookie(r, s.base+"/"))
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// isOurs reports whether an address is on this server, by its path alone.
func (s *Server) isOurs(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "" && u.Host == "" && u.User == nil && strings.HasPrefix(u.Path, s.base+"/") &&
		!strings.HasPrefix(address, "//") && !strings.ContainsAny(address, "\\\r\n\t")
}

// askToken answers that the client must sign in, with the form if a token is accepted.
func (s *Server) askToken(w http.ResponseWriter, r *http.Request, wrong bool) {
	if !s.front.TakesToken() {
		s.site.Refuse(w, r, http.StatusUnauthorized, sentence.Error("signin.proxy"))
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="zkviz"`)
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.site.Refuse(w, r, http.StatusUnauthorized, sentence.Error("signin.bearer"))
		return
	}
	s.site.Private(w, r, http.StatusUnauthorized, page.SignIn(page.SignInProps{
		Frame: s.site.CachedFrame(r, ""), At: s.base + signInAt, Next: withoutToken(r), Wrong: wrong,
	}))
}
