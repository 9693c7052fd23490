;;; SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
;;; Compiling while it runs, conditions, and a collector that protects pages.
(defun caught (i)
  (handler-case (if (zerop (mod i 3)) (error "at ~d" i) (/ 12 (mod i 2)))
    (division-by-zero () 5)
    (simple-error (e) (length (princ-to-string e)))))

(defun old (table i)
  (setf (gethash (mod i 997) table) (list i (make-string 40))))

(let ((sum 0) (table (make-hash-table))
      (rounds (parse-integer (second sb-ext:*posix-argv*))))
  (dotimes (r rounds)
    (let ((f (compile nil `(lambda (x) (mod (+ (* x 31) ,r) 1000003)))))
      (dotimes (i 4000)
        (old table i)
        (setf sum (funcall f (+ sum (caught i))))))
    (when (zerop (mod r 10)) (sb-ext:gc :full t)))
  (format t "~d ~d~%" sum (hash-table-count table))
  (finish-output)
  (sb-ext:exit :code 8 :abort t))
