// Package view has the wire shapes that several columns of api share, how they are rendered, and how forms are read. It
// knows no column.
package view
