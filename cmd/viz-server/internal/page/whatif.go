package page

import "github.com/a-h/templ"

// kinds returns the attributes that name the recipe for a fork of each kind.
func kinds(f Frame) templ.Attributes {
	all := templ.Attributes{}
	for kind, recipe := range f.Kinds {
		all["data-"+kind] = recipe
	}
	return all
}
