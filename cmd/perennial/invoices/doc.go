// Package invoices owns the commands about invoices. It does not own how they look (documents).
package invoices
