// Every run begins with a reset; another may come at any time.
  initial r_reset: assume (rst);
