package page

// SignInProps is the page that asks for the token, or the page that leads on afterwards.
type SignInProps struct {
	Frame
	At    string // where to post the form
	Next  string // the requested address, without a token
	Wrong bool   // the given token was wrong
}
