CPU     ID                    FUNCTION:NAME
 +\d+ +1 +:BEGIN    1    -2        3               -4                5  str                                      0  end                              

dtrace: script 'widths\.d' matched 1 probe
