package lifecycle

// CancelPayment asks for a pending charge not to be made, or to be canceled where its provider can. What was captured
// before the provider heard of it counts. Of the Result only the rows are read. Faults: those of
// payment.Transaction.RequestCancel.
func CancelPayment(s State, result Result, at Moment) (State, Changes, error) {
	state, _, changes, err := record(s, result, at, func(r *recording) error {
		txn, err := r.txn.RequestCancel(r.d.Real)
		if err != nil {
			return err
		}
		r.txn = txn
		r.d.saveTransaction(txn)
		return nil
	})
	return state, changes, err
}
