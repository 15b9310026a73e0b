// Package page turns typed props into HTML. Its parts (*.templ) hold no logic beyond if and for, and every value goes
// through templ's escaping, because names and data of znodes are hostile.
//
// It knows no HTTP and no runs: the packages below web fill the props, and package lessons makes the lessons' pages.
package page
