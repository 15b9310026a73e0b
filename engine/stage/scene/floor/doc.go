// Package floor has what all parts of a picture see: the state at a moment and how to draw it (Setting), who the
// clients are and what they do (Cast), and where clients and znodes stand (Floor). It records marks and says whether
// anything moves. It knows no part of a picture; each part holds a Floor and writes down in it where things stand.
package floor
