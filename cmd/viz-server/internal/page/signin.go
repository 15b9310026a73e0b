package page

// SignInProps is the page that asks for the token, or the one that leads on once it was given.
type SignInProps struct {
	Frame
	At    string // where the form is posted
	Next  string // the address that was asked for, without a token
	Wrong bool   // what was given isn't the token
}
